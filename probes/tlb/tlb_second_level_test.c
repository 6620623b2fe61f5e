/* SPDX-License-Identifier: MIT */
/* A second level of the TLB of which another thread takes a part at times. */
#include "tests/unit/summary_rows.h"

/* The curve of these points, in pages and core cycles: "64 0 128 7". */
static void take(const char *points)
{
	double pages, cycles;

	begin_of("tlb");
	for (int n; sscanf(points, "%lf %lf%n", &pages, &cycles, &n) == 2; points += n)
		add("tlb", "cost", "pages", pages, CYCLES(cycles), PAGE_4K);
}

/*
 * Curves as they were measured in a guest, where another thread of the core takes a part of the
 * second level that changes. CPUID does not say how many entries there are; of Golden Cove and its
 * successors, which have 96 in the first level as this one, 2048 are known. Up to 96 pages, of
 * these counts or of fewer, cost nothing.
 */
#define UP_TO_96 "1 0 2 0 3 0 4 0 6 0 8 0 11 0 16 0 23 0 32 0 45 0 64 0 91 0 96 0 "
#define FEWER    "1 0 2 0 4 0 8 0 16 0 32 0 45 0 64 0 91 0 96 0 "

static const char *const shared[] = {
	FEWER "97 0.5  98 1  100 1.73  104 3.3  112 6.61  128 7.03  181 7.01  256 7  362 7.03 "
	      "512 7.03  640 7.05  672 7.14  688 7.02  696 6.99  700 7.01  702 7.01  703 7.03 "
	      "704 7.21  724 11.36  1024 17  1448 22.44  1792 36.39  2048 40.88  2896 52.37 "
	      "4096 54.41  5793 57.52  8192 107.75  11585 391.36  16384 500.14",
	FEWER "97 0.5  98 1  100 1.71  104 3.53  112 6.75  128 7.02  181 7.01  256 6.99  362 7 "
	      "512 7  724 7.96  728 8.03  732 7.96  734 7.82  735 7.64  736 8.23  768 10.17 "
	      "896 16.64  1024 21.22  1280 30.62  1448 32.91  2048 47.18  2896 53.26  4096 54.35 "
	      "5793 59.88  8192 85.29  11585 386.87",
	FEWER "97 0.5  98 1  100 1.95  104 3.76  112 6.76  128 7  181 6.99  256 7  362 7.01 "
	      "512 7.01  640 7  672 7  704 7.02  712 7.19  720 7.01  722 7.18  723 7.17  724 12.53 "
	      "896 13.47  1024 22.62  1448 24.14  1536 31.56  1792 39.15  2048 43.2  2896 52.93 "
	      "4096 52.93  5793 55.64  8192 97.51  11585 455.11  16384 516.85",
	FEWER "97 0.51  98 1  100 1.73  104 3.32  112 6.16  120 6.99  128 7.01  181 7  256 7.02 "
	      "362 6.98  512 6.99  724 11.76  768 7.03  896 7.61  928 7.69  944 7.22  952 7.55 "
	      "953 7.71  954 8.12  956 7.84  960 8.55  1024 10.51  1152 12.56  1280 11.87 "
	      "1448 16.57  1536 19.13  1792 25.82  2048 32.66  2896 44.41  4096 49.45  5793 54.04 "
	      "7168 65.49  8192 91.11  10240 263.03  11585 361.76  16384 440.09",
	UP_TO_96
	"97 0.5  98 1  100 1.72  104 3.32  112 6.55  128 7.03  181 7.03  256 7.03  362 7.02 "
	"512 7.04  724 6.98  896 7.52  928 7.65  944 7.62  948 7.62  950 7.66  951 7.37 "
	"952 8.65  960 8.69  1024 21.28  1152 12.09  1280 12.25  1448 35.38  2048 46.84 "
	"2896 52.48  4096 53.49  5793 57.51  8192 108.44  11585 385.05  16384 491.7",
	UP_TO_96
	"97 0.5  98 1  100 1.72  104 3.3  112 6.59  128 6.99  181 6.98  256 6.98  362 7 "
	"512 6.97  724 7.03  768 6.88  832 7.08  864 7.16  866 7.24  867 7.39  868 7.81 "
	"872 7.45  880 7.35  896 7.84  1024 8.08  1088 8.8  1152 7.81  1216 10.81  1280 9.89 "
	"1312 12.58  1344 10.24  1448 13.63  1536 14.64  1792 28.28  1920 23.97  2048 37.85 "
	"2176 37.16  2304 39.18  2432 49.26  2560 49.45  2896 57.25  4096 50.83  5793 53.6 "
	"8192 84.81  11585 326.21  16384 466.31",
	UP_TO_96
	"97 0.5  98 1  100 1.95  104 3.77  112 6.8  128 7.01  181 7.01  256 7.03  362 7.03 "
	"512 7  724 6.98  768 7.06  832 7.16  896 7.53  928 7.28  960 7.26  976 7.34 "
	"977 7.27  978 8.27  980 7.52  984 7.71  992 15.5  1024 8.03  1088 8.05  1152 17.85 "
	"1216 23.55  1280 14.14  1448 13.85  1536 32.66  1664 18.44  1792 31.01  2048 32.25 "
	"2176 45.12  2304 55.33  2432 51.37  2560 54.26  2896 49.63  4096 55.72  5793 59.31 "
	"7168 75.16  8192 99.88  10240 269.8  11585 400.34  16384 499.07",
	UP_TO_96
	"97 0.51  98 1  100 1.72  104 3.76  112 6.55  128 7.01  181 7.04  256 7.02  362 6.99 "
	"512 7.04  724 7.06  1024 7.13  1025 12.16  1026 11.25  1028 15.97  1032 9.2 "
	"1040 7.84  1056 10.95  1088 7.61  1152 8.62  1280 9.51  1448 16.92  1536 15.47 "
	"1792 27.43  2048 31.85  2304 46.26  2560 48.96  2896 53.01  4096 57.45  5793 61.44 "
	"7168 69.62  8192 114.58  10240 275.14  11585 379.94  16384 515.87",
	UP_TO_96
	"97 0.5  98 0.76  100 1.73  104 3.42  108 4.75  112 6.6  128 6.98  181 7.04  256 6.99 "
	"362 6.99  512 7  640 7  672 7.18  724 7.09  725 12.36  726 7.56  728 12.04  736 9.17 "
	"768 13.27  896 19.39  960 19.95  1024 12.92  1152 32.3  1280 32.37  1448 36.67 "
	"1792 45.68  1920 50.9  2048 51.55  2896 55.63  4096 56.03  5793 62.6  8192 89.67 "
	"11585 393.92  16384 698.34",
	UP_TO_96
	"97 0.5  98 0.75  100 1.47  102 2.16  104 3.27  108 4.52  112 6.1  120 6.95  128 6.95 "
	"181 6.97  256 6.98  362 7  512 6.94  576 6.99  608 7.02  640 7.28  648 7.1  652 7.1 "
	"654 7.27  655 7.69  656 9.86  672 13.4  724 16.26  896 22.31  960 25.92  1024 42.21 "
	"1088 28.23  1152 27.87  1216 32.97  1280 30.89  1344 33.13  1448 36.3  1792 42.74 "
	"1920 45.46  2048 50.17  2176 50.7  2304 47.79  2432 52.09  2560 56.58  2896 54.58 "
	"4096 55.77  5793 58.6  8192 102.14",
	UP_TO_96
	"98 1  100 1.96  104 3.76  108 5.44  112 6.97  128 7.01  181 7  256 7.01  362 7.02 "
	"512 7.02  640 7.22  648 11.67  652 8.06  656 7.02  672 7.74  688 9.75  704 19.27 "
	"724 12.31  1024 15.19  1280 12.69  1344 21.35  1448 25.74  2048 37.11  2896 49.07 "
	"4096 55.96  5793 58.97  7168 63.61  8192 89.35  10240 214.02  11585 342.77 "
	"14336 465.75  16384 486.73",
	UP_TO_96
	"97 0.5  98 0.99  100 1.95  104 3.75  108 5.44  112 6.81  128 7.01  181 6.99 "
	"256 7.01  362 7.02  512 7.18  640 7.03  672 7.07  688 7.1  696 7.09  697 12.25 "
	"698 8.32  700 7.15  704 8.85  724 12.97  1024 9.8  1280 15.13  1344 22.02 "
	"1408 15.65  1424 21.36  1448 34.73  2048 47.56  2896 57.19  4096 59.66  5793 63.4 "
	"8192 91.54  11585 279.97  16384 474.32",
	UP_TO_96
	"97 0.5  98 0.99  100 1.95  104 3.54  112 6.35  128 7.02  181 6.99  256 7.01 "
	"362 7.03  512 7.04  576 7.02  584 7.09  586 7.06  587 7.04  588 7.29  592 7.27 "
	"608 7.66  640 7.59  672 11.98  724 22.5  896 17.59  1024 14.68  1280 22.64 "
	"1448 25.96  1792 46.02  2048 36.82  2304 57.69  2560 56.37  2896 55.6  4096 61.94 "
	"5793 63.43  7168 77.97  8192 115.42  10240 284.88  11585 362.14  16384 529.25",
	/* pages of 2 MiB, of which the memory had 1448 */
	UP_TO_96
	"97 0.5  98 1  100 1.95  104 3.52  112 6.36  128 6.99  181 7  256 7  362 6.98 "
	"512 6.98  724 7.23  1024 7.88  1032 8.02  1036 7.84  1040 7.84  1044 7.78  1045 8.08 "
	"1046 8.12  1048 8.03  1056 10.9  1088 8.11  1152 9.21  1280 12.67  1448 17.18",
	UP_TO_96 "97 0.51  98 1  100 1.72  104 3.5  112 6.35  128 7.01  181 7  256 7.03  362 7.01 "
		 "512 7  640 7.17  644 7.22  645 7.36  646 7.34  648 7.35  656 7.55  672 7.36 "
		 "724 9.24  1024 12.5  1280 18.65  1448 21.27",
	UP_TO_96
	"97 0.51  98 1  100 1.71  104 3.3  112 6.34  128 7.01  181 7.01  256 7.01  362 7.01 "
	"512 7.03  724 6.97  896 8.16  912 8.2  916 8.04  918 8.14  919 8.12  920 8.23 "
	"928 8.39  960 8.52  1024 9.46  1280 14.02  1448 23.48",
	UP_TO_96
	"97 0.5  98 1  100 1.71  102 2.87  104 3.76  108 5.44  112 6.99  128 6.99  181 7 "
	"256 6.99  362 6.99  512 6.99  724 7.02  1024 6.99  1280 7.75  1288 7.86  1292 7.49 "
	"1296 7.62  1304 7.43  1308 7.33  1310 7.3  1311 7.4  1312 7.85  1344 8.7  1448 11.1",
};

/* The level ends somewhere in the rise, or nothing is said; what a walk costs is not half way. */
TEST(entries_that_another_thread_takes)
{
	for (unsigned i = 0; i < sizeof shared / sizeof *shared; i++) {
		print_message("curve %u\n", i);
		take(shared[i]);
		expect_found("dtlb_4k_entries", 96, 0);
		expect_found("stlb_hit_cycles", 7, 0.014);
		const struct summary *entries = value("stlb_entries");
		const struct summary *walk = find_value(&m.found, VALUE_walk_cycles);

		if (!entries->reason && !(entries->low <= 2048 && entries->high > 2048))
			fail_value(entries, "2048 in its bracket");
		if (isinf(entries->high) ? !(entries->low > 256) : entries->confidence > 0.7)
			fail_value(entries, "at most 0.7, or so many or more");
		if (!walk->reason && !(walk->value > 45 && walk->value < 63))
			fail_value(walk, "45 to 63 cycles");
	}
}

/*
 * Hits up to 1024 pages, then costs that rise by 4 cycles a sixteenth of that, up to a walk of 39
 * from 1536 to 16384; `fall` less where 22 cycles are reached.
 */
static void slow_rise(double fall)
{
	char text[1024] = "", *at = text;

	for (double x = 1; x < 1024; x *= 2)
		at += sprintf(at, "%g %g ", x, x <= 96 ? 0.001 : 7);
	for (double x = 1024; x < 1600; x += 64)
		at += sprintf(at, "%g %g ", x, x == 1280 ? 19 - fall : 7 + (x - 1024) / 16);
	for (double x = 2048; x <= 16384; x *= 2)
		at += sprintf(at, "%g 39 ", x);
	take(text);
}

TEST(costs_that_fall_are_not_of_one_thread)
{
	slow_rise(3);
	double sure = value("stlb_entries")->confidence;

	assert_true(find_value(&m.found, VALUE_stlb_entries)->high < 1200);
	slow_rise(4);
	const struct summary *entries = value("stlb_entries");

	if (!(entries->high == 1536 && entries->confidence <= 0.5 * sure))
		fail_msg("expected up to 1536 entries and half of %g, came up to %g at %g", sure,
			entries->high, entries->confidence);
	assert_true(find_value(&m.found, VALUE_walk_cycles)->value == 39);
}

/* A few counts that cost the same on the way up are no plateau. */
TEST(a_walk_among_falls_has_half_an_octave)
{
	take("1 0.001  16 0.001  64 0.001  128 7  256 7  512 7  1024 7  1100 14  1200 7.5 "
	     "1300 20  1400 20.5  1500 21  1830 36  2048 38  2561 39  2868 39.5  4096 45");
	expect_found("walk_cycles", 38, 1e-9);
}

/*
 * If no plateau of walks was measured, an edge counts only if half of the rise is done within it;
 * otherwise the number is a lower bound.
 */
TEST(an_edge_without_walks_is_sharp)
{
	take("1 0.001  16 0.001  64 0.001  128 7  256 7  512 7  1024 7  1448 20");
	expect_range("stlb_entries", 1024, 1024, 1448);
	take("1 0.001  16 0.001  64 0.001  128 7  256 7  512 7  1024 7  1100 10  1200 13 "
	     "1448 20");
	expect_least("stlb_entries", 512); /* 1024 were measured once */
}

/*
 * 1024 entries in sets of 8, 2 MiB pages: where L2 ends the control's lines leave it later than the
 * chase's, so that the cost rises once more and falls. All have missed by then. One count that is
 * cheaper before, and it is not known what else takes entries.
 */
TEST(what_caches_do_beyond_a_ramp_is_no_fall)
{
#define UP_TO_1056                                                                                 \
	"1 0.001  16 0.001  32 0.001  33 7  64 7  256 7  512 7  1024 7  1025 7.194  1026 7.318 "   \
	"1028 7.565  1032 8.049  1040 9.084  1056 11.111 "
#define FROM_1152 "1152 22  1280 21.909  1536 22  2048 37  4096 25"
	take(UP_TO_1056 "1088 15.011 " FROM_1152);
	expect_range("stlb_entries", 1024, 1024, 1025);
	expect_found("walk_cycles", 22, 1e-9);
	take(UP_TO_1056 "1088 9.5 " FROM_1152);
	const struct summary *entries = value("stlb_entries");

	if (!(isinf(entries->high) ? entries->value <= 1024 : entries->confidence <= 0.5))
		fail_value(entries, "half as sure, or no more than there are");
}

/*
 * Entries of the first level are taken as well, so that a step lies within its edge: what follows
 * it are hits in the second level, and no walks.
 */
TEST(a_step_within_the_edge_of_the_first_level_is_no_second_one)
{
	take("1 0  4 0  8 0  16 0  32 0  45 0  64 0  66 0  67 1.3  68 0.6  72 2.6  80 0.9 "
	     "88 2.6  90 2.3  91 0.5  96 3.1  98 1  100 2.4  101 6.3  102 6.4  104 5.3 "
	     "112 6.6  120 6.7  128 6.9  181 7  256 7  362 7.1  512 9.7  724 8.6  896 8.7 "
	     "1024 11.3  1152 11.6  1216 15.6  1280 19.3  1448 21.8  1536 21.9  1600 38.8 "
	     "1664 38.8  1792 41.4  2048 46.6  2896 61.9  4096 67.9  5793 91.3  6144 93.8 "
	     "6656 124.2  7168 156.4  8192 134.4  8704 203.4  9216 260.7  10240 269.9 "
	     "11585 277  16384 287.7");
	const struct summary *walk = value("walk_cycles");
	const struct summary *entries = find_value(&m.found, VALUE_stlb_entries);

	if (!walk->reason && !(walk->value > 45 && walk->value < 95))
		fail_value(walk, "45 to 95 cycles");
	if (!entries->reason && !(entries->low <= 2048 && entries->high > 2048))
		fail_value(entries, "2048 in its bracket");
}
