/* SPDX-License-Identifier: MIT */
/* Every descriptor of CPUID's leaf 2 that names data or shared translation buffers. */
#include <stdio.h>
#include <string.h>

#include "engine/claims.h"
#include "engine/room.h"
#include "tests/unit/test.h"

/* Intel SDM volume 2A, table 3-12: the code, then level, pages and entries. */
static const char table[] = "03: level 1, 4K, 64, data\n"
			    "04: level 1, 2M, 8, data\n"
			    "05: level 1, 2M, 32, data\n"
			    "56: level 1, 2M, 16, data\n"
			    "57: level 1, 4K, 16, data\n"
			    "59: level 1, 4K, 16, data\n"
			    "5a: level 1, 2M, 32, data\n"
			    "5b: level 1, 4K 2M, 64, data\n"
			    "5c: level 1, 4K 2M, 128, data\n"
			    "5d: level 1, 4K 2M, 256, data\n"
			    "63: level 1, 2M, 32, data; level 1, 1G, 4, data\n"
			    "64: level 2, 4K, 512, data\n"
			    "a0: level 1, 4K, 32, data\n"
			    "b3: level 1, 4K, 128, data\n"
			    "b4: level 2, 4K, 256, data\n"
			    "ba: level 2, 4K, 64, data\n"
			    "c0: level 1, 4K 2M, 8, data\n"
			    "c1: level 2, 4K 2M, 1024, shared\n"
			    "c2: level 1, 4K 2M, 16, data\n"
			    "c3: level 2, 4K 2M, 1536, shared; level 2, 1G, 16, shared\n"
			    "c4: level 1, 2M, 32, data\n"
			    "ca: level 2, 4K, 512, shared\n";

static uint32_t code; /* the one descriptor of the processor */

static struct cpuid one_descriptor(struct room *room, uint32_t leaf, uint32_t sub)
{
	(void)room;
	(void)sub;
	if (leaf == 0)
		return (struct cpuid){ 2, 0x756e6547, 0x6c65746e, 0x49656e69 };
	return leaf == 2 ? (struct cpuid){ 1, 0, code << 8, 0 } : (struct cpuid){ 0 };
}

static void write_claim(char *text, const struct tlb_claim *c)
{
	char *at = text + strlen(text);

	at += sprintf(at, "level %u,", c->level);
	if (c->pages & TLB_4K)
		at += sprintf(at, " 4K");
	if (c->pages & TLB_2M)
		at += sprintf(at, " 2M");
	if (c->pages & TLB_1G)
		at += sprintf(at, " 1G");
	sprintf(at, ", %u, %s", c->entries, c->type == CLAIM_UNIFIED ? "shared" : "data");
}

TEST(descriptors_are_those_of_the_manual)
{
	struct room room = { .cpuid = one_descriptor };
	struct tlb_claim claims[8];
	char text[4096] = "";

	for (code = 0; code < 256; code++) {
		unsigned n = claims_tlbs(&room, claims, 8);

		if (n)
			sprintf(text + strlen(text), "%02x: ", code);
		for (unsigned i = 0; i < n; i++) {
			write_claim(text, &claims[i]);
			strcat(text, i + 1 < n ? "; " : "\n");
		}
	}
	assert_string_equal(text, table);
}
