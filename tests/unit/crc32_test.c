/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/crc32.h"

/* The check value that every CRC-32/ISO-HDLC implementation must give. */
static void test_check_value(void **state)
{
	(void)state;
	assert_int_equal(crc32_of(0, "123456789", 9), 0xcbf43926);
}

static void test_pieces_equal_the_whole(void **state)
{
	(void)state;
	uint32_t crc = crc32_of(0, "1234", 4);
	assert_int_equal(crc32_of(crc, "56789", 5), 0xcbf43926);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_value),
		cmocka_unit_test(test_pieces_equal_the_whole),
	};
	return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
