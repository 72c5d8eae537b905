// Asks a running `stargram serve MODEL` with fetch, as a page in a browser does (the server is then started with
// `--origin https://your.page`). The model is a tagger.
//   stargram serve pos.sg & node examples/serve/ask.mjs http://127.0.0.1:8650
const server = process.argv[2] ?? "http://127.0.0.1:8650";

/** @typedef {{ tokens: string[], labels: string[], probability: number }} Prediction */

/**
 * One prediction for each input.
 * @param {object[]} inputs
 * @param {object} [options]
 * @returns {Promise<Prediction[]>}
 */
async function predict(inputs, options = {}) {
  const response = await fetch(`${server}/predict`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ inputs, ...options }),
  });
  const answer = /** @type {{ error: string, predictions: Prediction[] }} */ (await response.json());
  if (!response.ok) throw new Error(answer.error);
  return answer.predictions;
}

const inputs = [{ tokens: ["the", "dog", "barks"] }, { tokens: ["a", "cat", "can"] }];
for (const { tokens, labels, probability } of await predict(inputs)) {
  console.log(tokens.map((token, i) => `${token}/${labels[i]}`).join(" "), probability.toFixed(3));
}
