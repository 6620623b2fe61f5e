/* SPDX-License-Identifier: MIT */
/* Names in a result file that both its writer and its readers use; docs/format.md describes them. */
#ifndef LIB_RESULT_KEYS_H
#define LIB_RESULT_KEYS_H

#define RESULT_SCHEMA "anechoic/2"

/* Every line: which kind of line, and what frames it. */
#define KEY_KIND "kind"
#define KEY_ROOM "room"
#define KEY_SEQ  "seq"
#define KEY_CRC  "crc"

#define KIND_RUN     "run"
#define KIND_ROW     "row"
#define KIND_SUMMARY "summary"
#define KIND_SKIP    "skip"
#define KIND_END     "end"

/* run */
#define KEY_SCHEMA   "schema"
#define KEY_TOPOLOGY "topology"

/* row, skip */
#define KEY_PROBE      "probe"
#define KEY_VARIANT    "variant"
#define KEY_LEVEL      "level"
#define KEY_PARAMS     "params"
#define KEY_PAGE_BYTES "page_bytes" /* a parameter */
#define KEY_UNIT       "unit"
#define KEY_COUNTS     "counts"
#define KEY_VALUES     "values"
#define KEY_FLAGS      "flags"
#define KEY_MORE       "more"
#define KEY_REASON     "reason"

/* end */
#define KEY_STATUS    "status"
#define KEY_ROWS      "rows"
#define KEY_SUMMARIES "summaries"
#define KEY_SKIPS     "skips"
#define KEY_LINES     "lines"
#define KEY_CRC_ALL   "crc_all"
#define KEY_THINNED   "thinned"

#endif
