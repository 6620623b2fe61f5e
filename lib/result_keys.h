/* SPDX-License-Identifier: MIT */
/*
 * Names in a result file that both its writer and its readers use; docs/format.md describes them.
 */
#ifndef LIB_RESULT_KEYS_H
#define LIB_RESULT_KEYS_H

#define RESULT_SCHEMA "anechoic/2"

/* Every line: its kind, and the members that frame it. */
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
#define KEY_SCHEMA         "schema"
#define KEY_BUILD          "build"
#define KEY_TIME_UTC       "time_utc"
#define KEY_CPU            "cpu"
#define KEY_VENDOR         "vendor" /* of `cpu`, as are the next four */
#define KEY_BRAND          "brand"
#define KEY_FAMILY         "family"
#define KEY_MODEL          "model"
#define KEY_STEPPING       "stepping"
#define KEY_CACHES_CLAIMED "caches_claimed"
#define KEY_CPUS           "cpus"
#define KEY_TOPOLOGY       "topology"
#define KEY_CORE_TYPE      "core_type" /* of `topology` */
#define KEY_EMULATED       "emulated"
#define KEY_HYPERVISOR     "hypervisor"
#define KEY_MAY_BE         "may_be"
#define KEY_MAY_BE_WHY     "may_be_why"
#define KEY_KNOWN_ANSWER   "known_answer"
#define KEY_MACHINE        "machine" /* of `known_answer`, and of `os` */
#define KEY_TSC_HZ         "tsc_hz"
#define KEY_TSC_SOURCE     "tsc_source"
#define KEY_CORE_HZ        "core_hz"
#define KEY_ARENA_NODE     "arena_node"
#define KEY_SIBLINGS       "siblings"
#define KEY_PROFILE        "profile"
#define KEY_SOURCE         "source"
#define KEY_HOST           "host"
#define KEY_UUID           "uuid" /* of `host`, as are the next two */
#define KEY_SERIAL         "serial"
#define KEY_MAC            "mac"
#define KEY_RUN_ID         "run_id"
#define KEY_RUN            "run"
#define KEY_RUNS           "runs"
#define KEY_SMBIOS         "smbios"
#define KEY_BOARD          "board" /* of `smbios`, as are the next two */
#define KEY_MODULES        "memory_modules"
#define KEY_MODULES_GBS    "memory_limit_gbs"
#define KEY_OS             "os"          /* in the end line, too */
#define KEY_TSC_DOUBT      "tsc_doubt"   /* of os, in the run line */
#define KEY_TSC_OFF        "tsc_off_ppm" /* of os, in the end line */

/* A value of `siblings`, and its meaning. */
#define SIBLINGS_PAUSE "pause"
#define HALF_A_CORE    "window and misses are those of half a core"

/* row, skip; unit and reason are in a summary, too */
#define KEY_PROBE      "probe"
#define KEY_VARIANT    "variant"
#define KEY_LEVEL      "level"
#define KEY_PARAMS     "params"
#define KEY_PAGE_BYTES "page_bytes" /* a parameter */
#define KEY_NODE       "node"       /* of a row's memory, if it is not arena_node */
#define KEY_UNIT       "unit"
#define KEY_COUNTS     "counts"
#define KEY_VALUES     "values"
#define KEY_FLAGS      "flags"
#define KEY_MORE       "more"
#define KEY_UNSTEADY   "unsteady"
#define KEY_REASON     "reason"

/* The reason of a value for which there are no rows; the card has no line for it. */
#define NOT_MEASURED "not measured in this run"
/* The reason of a row whose loop computed a wrong result begins so. */
#define PROOF_FAILED "proof failed"

/* summary */
#define KEY_NAME            "name"
#define KEY_VALUE           "value"
#define KEY_LOW             "low"
#define KEY_HIGH            "high"
#define KEY_RISE_10         "rise_10"
#define KEY_RISE_50         "rise_50"
#define KEY_RISE_90         "rise_90"
#define KEY_CLAIMED         "claimed"
#define KEY_AGREES          "agrees"
#define KEY_CONFIDENCE      "confidence"
#define KEY_FORM            "form"
#define KEY_FLOOR           "floor"
#define KEY_DISTURBED_SHARE "disturbed_share"

/* end */
#define KEY_STATUS         "status"
#define KEY_ROWS           "rows"
#define KEY_SUMMARIES      "summaries"
#define KEY_SKIPS          "skips"
#define KEY_LINES          "lines"
#define KEY_SECONDS        "seconds"
#define KEY_OUTPUT_SECONDS "output_seconds"
#define KEY_ARENA_SECONDS  "arena_seconds"
#define KEY_WHY            "why" /* in `thinned`, too */
#define KEY_CRC_ALL        "crc_all"
#define KEY_LEVELS         "levels"
#define KEY_BYTES          "bytes"
#define KEY_ORIGIN         "origin" /* of a row, too */
#define KEY_SAID           "said"   /* in `thinned`, too */
#define KEY_TEXT           "text"   /* of a probe in `said` */
#define KEY_THINNED        "thinned"

#endif
