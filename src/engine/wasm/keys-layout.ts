// The record that a walk through the keys of a cipher is, as both sides of the border read it: i32 fields in this order.
// Numbers first, then addresses of the arrays of src/engine/keys.ts.

export const ORDER = 0;
export const EVENTS = 1;
export const STRIDE = 2;
export const PLAIN_COUNT = 3;
export const FREE_COUNT = 4;
export const WEIGHT_COUNT = 5;
export const IS_HOMOPHONIC = 6;
export const CIPHER_COUNT = 7;

export const TABLES = 8;
export const FREQUENCY = 9;
export const PLACE_START = 10;
export const PLACES = 11;
export const WINDOW_START = 12;
export const WINDOWS = 13;
export const ONCE_START = 14;
export const ONCE = 15;
export const OFTEN_START = 16;
export const OFTEN = 17;
export const OFTEN_STEP = 18;
export const POWER = 19;
export const FREE = 20;
export const ALLOWED = 21;
export const WEIGHTS = 22;
export const KEY = 23;
export const PLAIN = 24;
export const WRITTEN = 25;
export const OWNER = 26;
export const COST = 27;
export const STAMP = 28;
export const BEST_KEY = 29;
export const STATE = 30;
export const SCRATCH = 31;
export const FIELDS = 32;

// Fields of STATE, i32.
export const RANDOM = 0;
export const TOTAL = 1;
export const BEST = 2;
export const STAMP_COUNT = 3;
export const STATES = 4;
