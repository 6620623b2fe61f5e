/* SPDX-License-Identifier: MIT */
/* What is assumed of how far two runs of one thing lie apart, where too few runs say it. */
#ifndef LIB_NOISE_ASSUMED_H
#define LIB_NOISE_ASSUMED_H

/*
 * What two runs of a row differ by at most, in 95 % of the cases, as a part of it: that of
 * established tools on an untuned machine. 0.3 ... 3 % in the caches of one core, 3 ... 13 % in the
 * last cache and memory of a virtual machine, which the host's other guests use at the same time.
 */
#define NOISE_ASSUMED 0.03
#define NOISE_SHARED  0.13

#endif
