/* SPDX-License-Identifier: MIT */
/* The assumed distance between two runs of one thing, used if too few runs show it. */
#ifndef LIB_NOISE_ASSUMED_H
#define LIB_NOISE_ASSUMED_H

/*
 * The largest difference between two runs of a row, in 95 % of the cases, as a part of its value,
 * as established tools see it on an untuned machine. 0.3 ... 3 % in the caches of one core, 3 ...
 * 13 % in the last cache and memory of a virtual machine, which the host's other guests use at the
 * same time.
 */
#define NOISE_ASSUMED 0.03
#define NOISE_SHARED  0.13

#endif
