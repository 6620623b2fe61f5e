/* SPDX-License-Identifier: MIT */
/* Sizes in bytes for people. */
#ifndef LIB_SIZES_H
#define LIB_SIZES_H

/* 1536 -> "1.5K", powers of 1024; at most 6 characters. */
void size_short(double bytes, char out[16]);

#endif
