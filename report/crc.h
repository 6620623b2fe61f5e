/* SPDX-License-Identifier: MIT */
/* CRC-32 of IEEE 802.3, as the result format asks; report/ rests on the format, not on probes/. */
#ifndef REPORT_CRC_H
#define REPORT_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues from crc, 0 to start. */
uint32_t frame_crc(uint32_t crc, const void *data, size_t n);

#endif
