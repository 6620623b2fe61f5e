/* SPDX-License-Identifier: MIT */
/* The bytes of the files of page/files/, each ended by 0. */
#include "page/page.h"

__asm__(".pushsection .rodata\n"
	".globl page_html, page_css, page_js, picture_css\n"
	"page_html: .incbin \"page/files/page.html\"\n"
	".byte 0\n"
	"page_css: .incbin \"page/files/page.css\"\n"
	".byte 0\n"
	"page_js: .incbin \"page/files/page.js\"\n"
	".byte 0\n"
	"picture_css: .incbin \"page/files/picture.css\"\n"
	".byte 0\n"
	".popsection\n");
