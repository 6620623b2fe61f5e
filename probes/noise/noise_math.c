/* SPDX-License-Identifier: MIT */
#include "probes/noise/noise.h"

#include "lib/math.h"

static void swap(struct kept *a, struct kept *b)
{
	struct kept kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct kept *heap, unsigned at)
{
	while (at && heap[(at - 1) / 2].length_ns > heap[at].length_ns) {
		swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct kept *heap, unsigned n)
{
	for (unsigned at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && heap[child + 1].length_ns < heap[child].length_ns)
			child++;
		if (heap[at].length_ns <= heap[child].length_ns)
			return;
		swap(&heap[at], &heap[child]);
	}
}

void longest_add(struct longest *l, const struct kept *gap)
{
	if (l->n < l->capacity) {
		l->gaps[l->n] = *gap;
		sift_up(l->gaps, l->n++);
	} else if (gap->length_ns > l->gaps[0].length_ns) {
		l->gaps[0] = *gap;
		sift_down(l->gaps, l->n);
	}
}

static uint64_t end_of(const struct timeline *t)
{
	return t->scan->started + t->scan->events[t->next].at;
}

static uint64_t start_of(const struct timeline *t)
{
	return end_of(t) - t->scan->events[t->next].length;
}

/* The processor whose next gap begins first; NULL: none is left. */
static struct timeline *earliest(struct timeline *all, unsigned n)
{
	struct timeline *first = NULL;

	for (unsigned i = 0; i < n; i++)
		if (all[i].next < all[i].scan->recorded &&
			(!first || start_of(&all[i]) < start_of(first)))
			first = &all[i];
	return first;
}

/*
 * In the order of their beginnings, a gap that begins before all earlier ones have ended overlaps
 * with one of them; that is another processor's, because the gaps of one never overlap.
 */
void noise_moments(struct timeline *all, unsigned n, struct moments *m)
{
	uint64_t reach = 0;
	unsigned cpus = 0;
	bool *opener = NULL;
	struct timeline *t;

	for (unsigned i = 0; i < n; i++)
		all[i].next = all[i].moment = 0;
	while ((t = earliest(all, n))) {
		uint64_t end = end_of(t);
		bool joins = opener && start_of(t) < reach;
		bool *mark = &t->together[t->next++];

		*mark = joins;
		if (joins) {
			m->count += !*opener;
			*opener = true;
			cpus += t->moment != m->serial;
			m->most = cpus > m->most ? cpus : m->most;
		} else {
			opener = mark;
			m->serial++;
			cpus = 1;
		}
		t->moment = m->serial;
		reach = end > reach ? end : reach;
	}
}

#define CLOCK_MOVED 0.01

bool noise_clock_moved(double before, double stolen_before, double now, double stolen_now)
{
	double apart = before > now ? before - now : now - before;

	return before > 0 && apart > before * (CLOCK_MOVED + stolen_before + stolen_now);
}

double noise_deviation(const double *values, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? __builtin_sqrt(sum / (double)(n - 1)) : 0;
}

double noise_skew(const double *values, size_t n, double mean)
{
	double second = 0, third = 0;

	for (size_t i = 0; i < n; i++) {
		double off = values[i] - mean;

		second += off * off;
		third += off * off * off;
	}
	second /= (double)n;
	third /= (double)n;
	return second > 0 ? third / (second * __builtin_sqrt(second)) : 0;
}

#define STOP_ALIKE   0.2  /* of the pause: it ends at a tick of the timer */
#define PERIOD_ALIKE 0.05 /* of the period */
#define STOPS_MOST   256  /* that are looked at */

/* The ends of the gaps of that length, in the order of time. */
static unsigned stops_of(const struct kept *gaps, unsigned n, double pause_ns,
	double ends[STOPS_MOST])
{
	unsigned stops = 0;

	for (unsigned i = 0; i < n && stops < STOPS_MOST; i++) {
		unsigned at = stops;

		if (math_abs(gaps[i].length_ns - pause_ns) > STOP_ALIKE * pause_ns)
			continue;
		for (; at && ends[at - 1] > gaps[i].at_ns; at--)
			ends[at] = ends[at - 1];
		ends[at] = gaps[i].at_ns;
		stops++;
	}
	return stops;
}

unsigned noise_rt_stops(const struct kept *gaps, unsigned n, double pause_ns, double period_ns)
{
	double ends[STOPS_MOST];
	unsigned stops = stops_of(gaps, n, pause_ns, ends);

	for (unsigned i = 1; i < stops; i++) {
		double periods = (ends[i] - ends[i - 1]) / period_ns;
		double whole = (double)(uint64_t)(periods + 0.5);

		if (whole < 1 || math_abs(periods - whole) > PERIOD_ALIKE)
			return 0;
	}
	return stops > 1 ? stops : 0;
}
