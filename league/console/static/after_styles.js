// Asks for the scripts of a page when the page is loaded: on a slow line they would come beside the styles, and the page
// be seen later. They run in order. Before the page is loaded htmx would wait for an event that is over.

const { then, modules } = document.querySelector("script[data-then]").dataset;

function ask() {
  const all = [...then.split(" ").map((src) => [src, "text/javascript"]), ...modules.split(" ").map((src) => [src, "module"])];
  for (const [src, type] of all) document.head.append(Object.assign(document.createElement("script"), { src, type, async: false }));
}

if (document.readyState === "complete") ask();
else window.addEventListener("load", ask);
