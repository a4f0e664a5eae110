// Sets the chosen theme before anything is painted.
try {
  const set = JSON.parse(localStorage.getItem("skirmish.settings")) ?? {};
  document.documentElement.dataset.theme = set.theme ?? "system";
  document.documentElement.dataset.motion = set.motion ?? "system";
} catch {
  // Without storage the system's theme it is.
}
