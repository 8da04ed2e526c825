// Shares a page (the macro `share`): with the device's own dialogue where there is one, and by copying its link.

const PATIENCE = 2_500; // milliseconds for the picture: a browser soon forgets that somebody has pressed the button

/** The picture of the page as a file; null if it does not come in time, or the device shares no files. */
async function pictureOf(share) {
  if (share.dataset.picture === undefined || navigator.canShare === undefined) return null;
  try {
    const answer = await fetch(share.dataset.picture, { signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) return null;
    const file = new File([await answer.blob()], "domino.png", { type: "image/png" });
    return navigator.canShare({ files: [file] }) ? file : null;
  } catch {
    return null;
  }
}

async function offer(share) {
  const { said, address } = share.dataset;
  const file = await pictureOf(share);
  // Some apps take either the files or the link. So the link stands in the text if there is a file.
  const shared = file === null ? { text: said, url: address } : { text: `${said}\n${address}`, files: [file] };
  try {
    await navigator.share(shared);
  } catch (error) {
    if (error.name !== "AbortError") share.open = true; // the dialogue did not open: the links are there
  }
}

document.addEventListener("click", async (event) => {
  const share = event.target.closest("[data-share]");
  if (share === null) return;
  if (event.target.closest("summary") !== null && navigator.share !== undefined && !share.open) {
    event.preventDefault();
    offer(share);
  }
  const copy = event.target.closest("[data-copy]");
  if (copy === null) return;
  try {
    await navigator.clipboard.writeText(share.dataset.address);
    copy.textContent = copy.dataset.copied;
  } catch {
    share.querySelector("input").select(); // to be copied by hand
  }
});

// An open list of links stays open while the page is refreshed.
document.addEventListener("toggle", (event) => {
  const share = event.target;
  if (!share.matches("[data-share]")) return;
  share.toggleAttribute("data-busy", share.open);
  share.querySelector("[data-copy]").hidden = navigator.clipboard === undefined;
}, true);
