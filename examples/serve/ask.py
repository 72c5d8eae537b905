# Asks a running `stargram serve MODEL` from Python, with nothing but the standard library. The model is a tagger.
#   stargram serve pos.sg & python3 examples/serve/ask.py http://127.0.0.1:8650
import json
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

server = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8650"


def predict(inputs, token=None, **options):
    """Predictions for inputs: strings, or objects as JSON Lines have them."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    body = json.dumps({"inputs": inputs, **options}).encode()
    try:
        with urlopen(Request(f"{server}/predict", body, headers)) as answer:
            return json.load(answer)["predictions"]
    except HTTPError as error:
        raise RuntimeError(json.load(error)["error"]) from None


for prediction in predict([{"tokens": ["the", "dog", "barks"]}, {"tokens": ["a", "cat", "can"]}]):
    print(prediction["tokens"], prediction["labels"], round(prediction["probability"], 3))
