/* SPDX-License-Identifier: MIT */
/*
 * The few functions of <string.h> that freestanding code and the compiler itself call. They use
 * string instructions because the compiler would turn a loop into a call to the same function; they
 * copy words, because an emulator is eight times slower by bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	void *d = to;
	size_t words = n / 8, rest = n % 8;

	__asm__ volatile("rep movsq" : "+D"(d), "+S"(from), "+c"(words)::"memory");
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(rest)::"memory");
	return to;
}

void *memset(void *to, int value, size_t n)
{
	void *d = to;
	size_t words = n / 8, rest = n % 8;
	uint64_t pattern = 0x0101010101010101 * (uint8_t)value;

	__asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(pattern) : "memory");
	__asm__ volatile("rep stosb" : "+D"(d), "+c"(rest) : "a"(pattern) : "memory");
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	if ((uintptr_t)to - (uintptr_t)from >= n)
		return memcpy(to, from, n);
	unsigned char *d = (unsigned char *)to + n;
	const unsigned char *s = (const unsigned char *)from + n;

	__asm__ volatile("std; dec %0; dec %1; rep movsb; cld"
			 : "+D"(d), "+S"(s), "+c"(n)::"memory");
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n > 0 && *p == *q; n--) {
		p++;
		q++;
	}
	return n ? *p - *q : 0;
}

size_t strlen(const char *s)
{
	const volatile char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}
