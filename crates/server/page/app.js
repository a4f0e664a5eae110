// The entry of the page: the router.
document.querySelector("#view").textContent = "Skirmish";
