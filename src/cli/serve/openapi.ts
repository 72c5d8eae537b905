// The server described for programs: OpenAPI 3.1, made of the declarations of options.

import { type Declared, factsOf, type Option, type OptionFacts } from "../../util/options.js";
import { requestOptions } from "./asked.js";
import type { ServedModel } from "./models.js";

type Json = Record<string, unknown>;

export function openApi(models: readonly ServedModel[], version: string, needsToken: boolean): Json {
  const declared: Declared = Object.assign({}, ...models.map(({ task }) => requestOptions(task)));
  const names = models.map(({ name }) => name);
  const model = { type: "string", enum: names, description: "the model to use; optional if there is only one" };
  return {
    openapi: "3.1.0",
    info: { title: "Stargram", version, description: "Predictions of models, with probabilities." },
    ...(needsToken && { security: [{ token: [] }] }),
    paths: {
      "/predict": { post: predictOperation(declared, model) },
      "/models": { get: operation("The models served.", { $ref: "#/components/schemas/Models" }) },
      "/health": { get: { ...operation("Whether the server is running.", healthSchema), security: [] } },
      "/metrics": { get: operation("Metrics in Prometheus text format.", { type: "string" }, "text/plain") },
      "/openapi.json": { get: operation("This description.", { type: "object" }) },
    },
    components: {
      ...(needsToken && { securitySchemes: { token: { type: "http", scheme: "bearer" } } }),
      schemas: schemas(declared, model),
    },
  };
}

const healthSchema = { type: "object", properties: { status: { type: "string", enum: ["ok", "stopping"] } } };

function predictOperation(declared: Declared, model: Json): Json {
  const query = Object.entries(declared).map(([name, option]) => parameter(name, schemaOf(option)));
  const answer = (type: string, schema: Json) => ({ [type]: { schema } });
  return {
    summary: "Predict for inputs.",
    description:
      "JSON: options are in the body. JSON Lines and text: options are in the query string. JSON Lines are streamed; " +
      "if a line is wrong, the last line of the answer is an object with `error`. Text is read and answered as by " +
      "`stargram predict`; with `json` or `Accept: application/x-ndjson`, as by `stargram predict --json`.",
    parameters: [parameter("model", model), parameter("json", { type: "boolean" }), ...query],
    requestBody: {
      required: true,
      content: {
        ...answer("application/json", { $ref: "#/components/schemas/Request" }),
        ...answer("application/x-ndjson", { type: "string", description: "a string or an object on each line" }),
        ...answer("text/plain", { type: "string", description: "text in the input format of `stargram predict`" }),
      },
    },
    responses: {
      200: {
        description: "The predictions.",
        content: {
          ...answer("application/json", { $ref: "#/components/schemas/Answer" }),
          ...answer("application/x-ndjson", { type: "string" }),
          ...answer("text/plain", { type: "string" }),
        },
      },
      ...Object.fromEntries(Object.entries(failures).map(([code, description]) => [code, failure(description)])),
    },
  };
}

const failures = {
  400: "The input or an option is wrong.",
  401: "The token is missing or wrong.",
  403: "Wrong origin or host name.",
  404: "There is no such model.",
  408: "The body did not arrive in time.",
  413: "The body is too long.",
  415: "Unsupported content type.",
  503: "Too many requests at a time, or a prediction took too long: try again later.",
};

function failure(description: string): Json {
  return { description, content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

function operation(summary: string, schema: Json, type = "application/json"): Json {
  return { summary, responses: { 200: { description: summary, content: { [type]: { schema } } } } };
}

function parameter(name: string, schema: Json): Json {
  const { description, ...rest } = schema;
  return { name, in: "query", required: false, ...(description !== undefined && { description }), schema: rest };
}

function schemas(declared: Declared, model: Json): Json {
  const options = Object.fromEntries(Object.entries(declared).map(([name, option]) => [name, schemaOf(option)]));
  const input = { oneOf: [{ type: "string" }, { type: "object" }] };
  return {
    Request: {
      type: "object",
      properties: {
        model,
        inputs: { type: "array", items: input, description: "one prediction for each" },
        document: {
          type: "string",
          description: "instead of `inputs`: text in the input format of `stargram predict`",
        },
        ...options,
      },
      additionalProperties: false,
    },
    Answer: {
      type: "object",
      required: ["model", "version", "predictions"],
      properties: {
        model: { type: "string" },
        version: { type: "string", description: "the version of the model: the beginning of its file's SHA-256" },
        predictions: {
          type: "array",
          items: { type: "object" },
          description: "as `stargram predict --json` prints them",
        },
        notices: { type: "array", items: { type: "string" }, description: "messages for the user" },
      },
    },
    Models: { type: "object", properties: { models: { type: "array", items: { type: "object" } } } },
    Error: {
      type: "object",
      required: ["error"],
      properties: {
        error: { type: "string" },
        hint: { type: "string" },
        input: { type: "integer", description: "which of `inputs`, counted from 0" },
        line: { type: "integer", description: "of the body, counted from 1" },
        column: { type: "integer" },
      },
    },
  };
}

function schemaOf(option: Option<unknown>): Json {
  const facts = factsOf(option);
  return { ...typeOf(facts), description: facts.description };
}

function typeOf({ type, choices, least, above, most, below }: OptionFacts): Json {
  if (type === "flag") return { type: "boolean" };
  if (type === "choice") return { type: "string", enum: choices };
  const bounds = {
    ...(least !== undefined && { [above ? "exclusiveMinimum" : "minimum"]: least }),
    ...(most !== undefined && { maximum: most }),
    ...(below !== undefined && { exclusiveMaximum: below }),
  };
  if (type === "whole") return { type: "integer", ...bounds };
  if (type === "real") return { type: "number", ...bounds };
  if (type !== "range") return { type: "string" };
  const whole = { type: "integer", ...bounds };
  return { oneOf: [whole, { type: "object", properties: { least: whole, most: whole }, required: ["least", "most"] }] };
}
