/* SPDX-License-Identifier: MIT */
/*
 * Facts that several rooms share and that have one home each: lib/, engine/run_text.c, EFI
 * status.
 */
#include "engine/room.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/cpuid.h"
#include "lib/crc32.h"
#include "lib/math.h"
#include "lib/stored_result.h"
#include "tests/unit/test.h"

/* The text as Linux shows it in efivarfs, the fields as the firmware takes them. */
TEST(the_guid_is_one_in_both_forms)
{
	static const struct {
		uint32_t a;
		uint16_t b, c;
		uint8_t d[8];
	} fields = STORED_RESULT_GUID(GUID_FIELDS);
	char text[40];

	snprintf(text, sizeof text, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", fields.a,
		fields.b, fields.c, fields.d[0], fields.d[1], fields.d[2], fields.d[3], fields.d[4],
		fields.d[5], fields.d[6], fields.d[7]);
	assert_string_equal(text, "52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4");
	assert_string_equal(STORED_RESULT_GUID(GUID_TEXT), text);
}

TEST(a_header_is_checked)
{
	static const char too_long[STORED_RESULT_CHUNKS * STORED_RESULT_CHUNK + 1];
	struct stored_result h = stored_result_header("x.ndjson", "packed", 6), back;

	assert_null(stored_result_check(&h, sizeof h, &back));
	assert_int_equal(back.payload_bytes, 6);
	assert_int_equal(back.chunks, 1);
	assert_string_equal(stored_result_check(&h, sizeof h - 1, &back),
		"its header has another size");
	h.payload_bytes++;
	assert_string_equal(stored_result_check(&h, sizeof h, &back), "its header is damaged");
	h = stored_result_header("x.ndjson", too_long, sizeof too_long);
	assert_string_equal(stored_result_check(&h, sizeof h, &back), "its header makes no sense");
	h = stored_result_header("x.ndjson", "packed", 6);
	h.chunks = 2; /* who reads both would write behind the 6 bytes */
	h.header_crc = crc32_of(0, &h, offsetof(struct stored_result, header_crc));
	assert_string_equal(stored_result_check(&h, sizeof h, &back), "its header makes no sense");
}

TEST(chunks_cover_all_bytes)
{
	char name[STORED_RESULT_NAME_BYTES];

	assert_int_equal(stored_result_chunk_bytes(STORED_RESULT_CHUNK, 0), STORED_RESULT_CHUNK);
	assert_int_equal(stored_result_chunk_bytes(STORED_RESULT_CHUNK + 5, 1), 5);
	stored_result_chunk_name(name, 7);
	assert_string_equal(name, "AnechoicResult07");
}

static struct cpuid leaf_0(const char *vendor)
{
	struct cpuid c = { 0 };

	memcpy(&c.ebx, vendor, 4);
	memcpy(&c.edx, vendor + 4, 4);
	memcpy(&c.ecx, vendor + 8, 4);
	return c;
}

TEST(vendors_by_leaf_0)
{
	assert_int_equal(cpuid_vendor(leaf_0("GenuineIntel")), VENDOR_INTEL);
	assert_int_equal(cpuid_vendor(leaf_0("AuthenticAMD")), VENDOR_AMD);
	assert_int_equal(cpuid_vendor(leaf_0("HygonGenuine")), VENDOR_HYGON);
	assert_int_equal(cpuid_vendor(leaf_0("GenuineTMx86")), VENDOR_OTHER);
}

TEST(leaves_by_range)
{
	assert_int_equal(cpuid_range(0x1f), 0);
	assert_int_equal(cpuid_range(0x40000010), 0x40000000);
	assert_int_equal(cpuid_range(0x80000021), 0x80000000);
	assert_true(cpuid_includes((struct cpuid){ 0x1f, 0, 0, 0 }, 0x1f));
	assert_false(cpuid_includes((struct cpuid){ 0x1e, 0, 0, 0 }, 0x1f));
}

TEST(rooms_by_their_number)
{
	assert_string_equal(room_names[ROOM_HOSTED], "hosted");
	assert_string_equal(room_names[ROOM_FIRMWARE], "firmware");
	assert_string_equal(room_names[ROOM_BARE], "bare");
}

TEST(status_codes_in_words)
{
	assert_string_equal(efi_status_text(0), "success");
	assert_string_equal(efi_status_text(EFI_STATUS_NOT_FOUND), "not found");
	assert_string_equal(efi_status_text(EFI_STATUS_ERROR | 9), "out of resources");
	assert_string_equal(efi_status_text(EFI_STATUS_ERROR | 22), "status 8000000000000016");
	assert_string_equal(efi_status_text(4), "status 4"); /* a warning */
}

TEST(days_since_1970)
{
	assert_int_equal(date_to_days(1970, 1, 1), 0);
	assert_int_equal(date_to_days(1972, 3, 1) - date_to_days(1972, 2, 28), 2);
	assert_int_equal(date_to_days(2100, 3, 1) - date_to_days(2100, 2, 28), 1);
	assert_int_equal(date_to_days(2026, 1, 1), 20454);
}
