/* SPDX-License-Identifier: MIT */
#include "lib/text.h"

#define STB_SPRINTF_IMPLEMENTATION
#define STB_SPRINTF_STATIC
#define STB_SPRINTF_NOUNALIGNED
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb/stb_sprintf.h>
#pragma GCC diagnostic pop

int text_vformat(char *out, size_t bytes, const char *format, va_list args)
{
	return stbsp_vsnprintf(out, (int)bytes, format, args);
}

int text_format(char *out, size_t bytes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = text_vformat(out, bytes, format, args);
	va_end(args);
	return n;
}

const char *text_plural(size_t n)
{
	return n == 1 ? "" : "s";
}
