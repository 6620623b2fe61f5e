/* SPDX-License-Identifier: MIT */
/* A file with the text of a code, as `import --qr` takes it: with all of its bytes. */
#include "linux/command_import.c"
#include "tests/unit/test.h"

/* A NUL is damage, which the check sum finds; the sanitizer finds what is read behind. */
TEST(test_a_nul_is_damage)
{
	static const char bytes[] = QR_CARD_HEAD QR_CARD_VERSION ":BARE\0AND MORE THAN THAT";
	char path[] = "/tmp/qr-photo-test-XXXXXX", err[QR_PHOTO_ERROR], out[64], *text;
	size_t n, length;

	int fd = mkstemp(path);
	assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
	close(fd);
	int bad = qr_photo_read(path, &text, &n, err);
	unlink(path);
	assert_int_equal(bad, 0);
	assert_int_equal(n, sizeof bytes);
	assert_memory_equal(text, bytes, n);
	assert_non_null(strstr(qr_card_read(text, n, out, sizeof out, &length), "check sum"));
	free(text);
}
