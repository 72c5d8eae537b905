// Before every test file: what fast-check draws is the same in every run, so that a run says the same as the one before it.
// STARGRAM_FUZZ=10000 draws anew, and as many models for the kernels as it says.

import fc from "fast-check";

if (process.env.STARGRAM_FUZZ === undefined) fc.configureGlobal({ seed: 2015 });
