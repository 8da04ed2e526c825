// The page: a table of places, and whether it is live.
import { connect } from "./client";
import { follow, type Place } from "./live-board";

const state = document.querySelector("#state")!;
const table = document.querySelector("#places")!;

function row(place: Place): HTMLTableRowElement {
  const name = (place.player ?? place.team)?.displayName ?? place.competitorId;
  const cells = [place.rank ?? "–", name, place.shown, place.matches].map((text) => {
    const cell = document.createElement("td");
    cell.textContent = String(text); // never as HTML: names come from people
    return cell;
  });
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

const client = connect((connection) => (state.textContent = connection));
follow(client, "ONE_ON_ONE", (places) => table.replaceChildren(...places.map(row)));
