/* SPDX-License-Identifier: MIT */
/* Sizes as people read them. */
#ifndef LIB_SIZE_TEXT_H
#define LIB_SIZE_TEXT_H

#define SIZE_TEXT 16 /* bytes that hold any of them */

/* 1536 -> "1.5K", 1408 << 10 -> "1408K", 2 << 20 -> "2M": units of 1024; at most 6 characters. */
void size_text(double bytes, char out[SIZE_TEXT]);

#endif
