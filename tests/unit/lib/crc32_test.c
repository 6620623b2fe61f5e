/* SPDX-License-Identifier: MIT */
#include "lib/crc32.h"
#include "tests/unit/test.h"

/* The check value that every CRC-32/ISO-HDLC implementation must give. */
TEST(test_check_value)
{
	assert_int_equal(crc32_of(0, "123456789", 9), 0xcbf43926);
}

TEST(test_pieces_equal_the_whole)
{
	uint32_t crc = crc32_of(0, "1234", 4);
	assert_int_equal(crc32_of(crc, "56789", 5), 0xcbf43926);
}
