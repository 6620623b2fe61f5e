/* SPDX-License-Identifier: MIT */
/* The bytes of the files of report/page/, each ended by 0. */
#include "report/page.h"

__asm__(".pushsection .rodata\n"
	".globl page_html, page_css, page_js, picture_css\n"
	"page_html: .incbin \"report/page/page.html\"\n"
	".byte 0\n"
	"page_css: .incbin \"report/page/page.css\"\n"
	".byte 0\n"
	"page_js: .incbin \"report/page/page.js\"\n"
	".byte 0\n"
	"picture_css: .incbin \"report/page/picture.css\"\n"
	".byte 0\n"
	".popsection\n");
