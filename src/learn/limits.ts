// What steps and penalties may be at most, for everything that trains.

/**
 * A first step of AdaGrad moves a weight by the whole of `rate`, and weights beyond this are certainty itself; a penalty
 * beyond this holds every weight at nothing.
 */
export const trainingLimits = { rate: 100, l2: 1e6, l1: 1e6 } as const;
