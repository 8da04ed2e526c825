// Types, and the list of documents for the server, from the operations in src/ and the schema of the league.
import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: "../../league/api/schema.graphql",
  documents: "src/*.ts",
  generates: {
    "src/gql/": {
      preset: "client",
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: "sha256" } },
      config: {
        enumsAsTypes: true,
        strictScalars: true,
        useTypeImports: true,
        scalars: {
          BigInt: "string", // positions of the log
          Date: "string",
          DateTime: "string",
          JSON: "unknown",
          Tile: "[number, number]",
        },
      },
    },
  },
};

export default config;
