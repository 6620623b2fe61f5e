/* SPDX-License-Identifier: MIT */
#include "report/export/export.h"

#define ANY_ROOMS false
#define ONE_ROOM  true

const struct export_format export_formats[] = {
#define EXPORT_FORMAT(name, rooms, help) { #name, help, rooms, export_##name },
#include "report/export/export_formats.inc"
#undef EXPORT_FORMAT
	{ NULL, NULL, false, NULL }
};
