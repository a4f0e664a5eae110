// Applies this device's settings: before the first paint, and when another tab changes them.
function applySettings() {
  let set = {};
  try {
    set = JSON.parse(localStorage.getItem("skirmish.settings")) ?? {};
  } catch {
    // Without storage, the system's settings apply.
  }
  Object.assign(document.documentElement.dataset, { theme: set.theme ?? "system", motion: set.motion ?? "system" });
}
applySettings();
addEventListener("storage", applySettings);
// If a first module fails to load, the page would stay empty.
addEventListener("error", ({ target }) => {
  if (target.tagName !== "SCRIPT") return;
  const again = Object.assign(document.createElement("button"), { textContent: "Try again", onclick: () => location.reload() });
  document.getElementById("main").replaceChildren("The page could not be loaded completely. ", again);
}, true);
