/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "linux/pages.h"
#include "engine/room.h"

static void smaps_field(const char *line, struct smaps_entry *e)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
		{ "KernelPageSize:", offsetof(struct smaps_entry, kernel_page) },
		{ "Rss:", offsetof(struct smaps_entry, resident) },
		{ "Private_Hugetlb:", offsetof(struct smaps_entry, resident) },
		{ "AnonHugePages:", offsetof(struct smaps_entry, huge) },
		{ "Locked:", offsetof(struct smaps_entry, locked) },
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		size_t n = strlen(fields[i].name);
		uint64_t kib;
		if (!strncmp(line, fields[i].name, n) &&
			sscanf(line + n, "%" SCNu64 " kB", &kib) == 1)
			*(uint64_t *)((char *)e + fields[i].offset) += kib * KIB;
	}
}

int smaps_find(FILE *smaps, uint64_t address, struct smaps_entry *out)
{
	char line[512];
	bool inside = false;
	while (fgets(line, sizeof(line), smaps)) {
		uint64_t start, end;
		/* Only a mapping's first line begins with "hex-hex "; field names have no dash. */
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2) {
			if (inside)
				return 0;
			inside = address >= start && address < end;
			if (inside)
				*out = (struct smaps_entry){ .start = start, .end = end };
		} else if (inside) {
			smaps_field(line, out);
		}
	}
	return inside ? 0 : -1;
}

uint64_t pages_judge(const struct smaps_entry *e, uint64_t start, uint64_t bytes)
{
	if (e->start != start || e->end != start + bytes || e->resident != bytes)
		return 0;
	if (e->kernel_page != PAGE_4K)
		return e->kernel_page;
	if (e->huge == bytes)
		return PAGE_2M;
	return e->huge ? 0 : PAGE_4K;
}

uint64_t pages_verify(const void *base, uint64_t bytes, bool *known)
{
	struct smaps_entry entry;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	*known = smaps && !smaps_find(smaps, (uintptr_t)base, &entry);
	if (smaps)
		fclose(smaps);
	return *known ? pages_judge(&entry, (uintptr_t)base, bytes) : 0;
}
