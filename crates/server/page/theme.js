// Shows the page as it is set on this device: before anything is painted, and when another tab changes it.
function applySettings() {
  let set = {};
  try {
    set = JSON.parse(localStorage.getItem("skirmish.settings")) ?? {};
  } catch {
    // Without storage it is as the system has it.
  }
  Object.assign(document.documentElement.dataset, { theme: set.theme ?? "system", motion: set.motion ?? "system" });
}
applySettings();
addEventListener("storage", applySettings);
// Without its first modules the page would stay empty.
addEventListener("error", ({ target }) => {
  if (target.tagName !== "SCRIPT") return;
  const again = Object.assign(document.createElement("button"), { textContent: "Try again", onclick: () => location.reload() });
  document.getElementById("main").replaceChildren("The page could not be loaded completely. ", again);
}, true);
