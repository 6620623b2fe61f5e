/* SPDX-License-Identifier: MIT */
/* Published figures of cores: each has a source, and CPUID says which core it is. */
#include <math.h>

#include "lib/published.c"
#include "tests/unit/test.h"

TEST(each_figure_is_one_and_has_a_source)
{
	const struct published_core *core;
	size_t i;

	for (i = 0; (core = published_core_at(i)); i++) {
		assert_ptr_equal(core, published_core_named(core->key));
		assert_true(core->n > 0);
		for (size_t k = 0; k < core->n; k++) {
			const struct published_fact *f = &core->facts[k];

			if (published_fact(core, f->id) != f)
				fail_msg("%s: %s is there twice", core->key,
					value_facts(f->id).name);
			if (!(f->high >= f->low && f->high > 0) || !*f->source)
				fail_msg("%s: %s is no figure", core->key, value_facts(f->id).name);
		}
		assert_null(published_fact(core, VALUE_core_clock_hz));
		assert_null(published_fact(core, VALUE_mispredict_cycles)); /* docs/card.md */
	}
	assert_int_equal(i, CORES);
	assert_null(published_core_named("zen"));
	assert_null(published_fact(NULL, VALUE_l1d_bytes));
}

TEST(cpuid_says_which_core_it_is)
{
	static const struct {
		const char *vendor;
		double family, model, core_type;
		const char *key;
	} known[] = { { "AuthenticAMD", 0x17, 0x31, NAN, "zen2" },
		{ "AuthenticAMD", 0x19, 0x01, NAN, "zen3" },
		{ "AuthenticAMD", 0x19, 0x11, NAN, "zen4" },
		{ "AuthenticAMD", 0x19, 0x61, NAN, "zen4" },
		{ "AuthenticAMD", 0x1a, 0x02, NAN, "zen5" },
		{ "GenuineIntel", 6, 0x55, NAN, "skylake-sp" },
		{ "GenuineIntel", 6, 0x8f, NAN, "golden-cove-sp" },
		{ "GenuineIntel", 6, 0x97, 0x40, "golden-cove" },
		{ "GenuineIntel", 6, 0x97, 0x20, "gracemont" },
		{ "GenuineIntel", 6, 0x97, NAN, NULL },
		{ "GenuineIntel", 6, 0xbe, NAN, "gracemont" },
		{ "AuthenticAMD", 0x17, 0x01, NAN, NULL },
		{ "AuthenticAMD", 0x1a, 0x55, NAN, NULL },
		{ "GenuineIntel", 0x1a, 0x02, NAN, NULL }, { "", NAN, NAN, NAN, NULL } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct published_core *core = published_core_of(known[i].vendor,
			known[i].family, known[i].model, known[i].core_type);

		if (!core != !known[i].key || (core && strcmp(core->key, known[i].key)))
			fail_msg("%s %g/%g: expected %s, came %s", known[i].vendor, known[i].family,
				known[i].model, known[i].key ? known[i].key : "none",
				core ? core->key : "none");
	}
}
