// Writes schema.json, the part of the schema that the caches of Apollo and urql need. Run it when the schema changes.
import { readFileSync, writeFileSync } from "node:fs";
import { minifyIntrospectionQuery } from "@urql/introspection";
import { buildSchema, introspectionFromSchema } from "graphql";

const schema = buildSchema(readFileSync("schema.graphql", "utf8"));
writeFileSync("schema.json", JSON.stringify(minifyIntrospectionQuery(introspectionFromSchema(schema))));
