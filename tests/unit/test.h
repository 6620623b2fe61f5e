/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

/*
 * A unit test, and what is done around the tests of its file. Each is a function that needs no
 * list; tests run in the order of the file (tests/unit/test.c has main):
 *
 *	TEST(what_holds)
 *	{
 *		assert_int_equal(2, 1 + 1);
 *	}
 *
 *	BEFORE_EACH(reset);
 *
 * A function that is defined above, or in a header, is named with a semicolon.
 *
 * What is done before or after each test is for the tests below it, up to the next of its kind.
 * The C library's headers that nearly every test needs are here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* cmocka's takes a number that is none for equal to any. */
#undef assert_float_equal
#define assert_float_equal(a, b, epsilon)                                                          \
	(__builtin_isnan((float)(a)) || __builtin_isnan((float)(b))                                \
			? _fail(__FILE__, __LINE__)                                                \
			: _assert_float_equal((float)(a), (float)(b), (float)(epsilon), __FILE__,  \
				  __LINE__))

/* The same number, but for what calculating it in another order changes. */
static inline void near(const char *what, double expected, double came)
{
	if (!(fabs(came - expected) <= 1e-9 * fabs(expected) + 1e-12))
		fail_msg("%s: expected %.12g, came %.12g", what, expected, came);
}

/*
 * The statement breaks `ensure(condition)`: a process of its own, which executes it, says so and
 * aborts.
 */
#define expect_broken(condition, ...)                                                              \
	do {                                                                                       \
		if (breaking_begin()) {                                                            \
			__VA_ARGS__;                                                               \
			breaking_survived();                                                       \
		}                                                                                  \
		breaking_end(condition);                                                           \
	} while (0)

bool breaking_begin(void); /* true in the new process */
void breaking_survived(void) __attribute__((noreturn));
void breaking_end(const char *condition);

enum test_when { TEST_ITSELF, TEST_BEFORE_EACH, TEST_AFTER_EACH, TEST_BEFORE_ALL, TEST_AFTER_ALL };

struct test {
	const char *name;
	void (*run)(void);
	enum test_when when;
	int line;
};

#define TEST(name)        TEST_ENTRY(name, TEST_ITSELF)
#define BEFORE_EACH(name) TEST_ENTRY(name, TEST_BEFORE_EACH)
#define AFTER_EACH(name)  TEST_ENTRY(name, TEST_AFTER_EACH)
#define BEFORE_ALL(name)  TEST_ENTRY(name, TEST_BEFORE_ALL)
#define AFTER_ALL(name)   TEST_ENTRY(name, TEST_AFTER_ALL)

/* A pointer in section tests, which the linker gives a begin and an end. */
#define TEST_ENTRY(name, when)                                                                     \
	static void name(void);                                                                    \
	static const struct test *name##_entry __attribute__((used, section("tests"))) =           \
		&(const struct test){ #name, name, when, __LINE__ };                               \
	static void name(void)

#endif
