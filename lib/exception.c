/* SPDX-License-Identifier: MIT */
#include "lib/exception.h"

const char *exception_name(uint64_t vector)
{
	static const char *const names[] = {
		"divide error",
		"debug",
		"non-maskable interrupt",
		"breakpoint",
		"overflow",
		"bound range",
		"invalid opcode",
		"device not available",
		"double fault",
		"coprocessor overrun",
		"invalid TSS",
		"segment not present",
		"stack fault",
		"general protection",
		"page fault",
		"vector 15",
		"floating-point error",
		"alignment check",
		"machine check",
		"SIMD floating-point error",
		"virtualization",
		"control protection",
	};

	return vector < sizeof names / sizeof *names ? names[vector] : "exception";
}

const char *access_name(uint64_t error)
{
	return error & 16 ? "execution at" : error & 2 ? "write to" : "read from";
}
