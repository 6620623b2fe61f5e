/* SPDX-License-Identifier: MIT */
/* The bytes of report/sources/sources.json, ended by 0. */
#include "report/sources/sources.h"

__asm__(".pushsection .rodata\n"
	".globl sources_text\n"
	"sources_text: .incbin \"report/sources/sources.json\"\n"
	".byte 0\n"
	".popsection\n");
