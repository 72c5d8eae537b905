// An item of a review: an input that a model left to a person, what it would have answered, and the answer.

export const reviewStatuses = ["", "answered", "skipped"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** One-bit pictures, row by row: `bits` holds width · height characters `0` and `1`. */
export interface ReviewImage {
  width: number;
  height: number;
  bits: string;
}

export interface ReviewCandidate {
  /** What the answer would be, in the form that `answer` takes. */
  text: string;
  probability: number;
}

export interface ReviewItem {
  id: string;
  kind: "text" | "images";
  /** The text to show; for images, their JSON. `imagesOf` takes it apart. */
  input: string;
  /** Empty until a person answers. */
  answer: string;
  status: ReviewStatus;
  /** The most probable first, at most 9. */
  candidates: ReviewCandidate[];
  /** The model's input as JSON. */
  source: string;
  /** Where the item was read: counted from 1. */
  line?: number;
}

export const MOST_CANDIDATES = 9;
