// `npm run dev` serves the page and passes what it asks on to a league on this machine.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  server: { proxy: { "/graphql": { target: "http://127.0.0.1:8000", ws: true } } },
});
