/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "linux/command_fleet.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/fleet_files.h"

#define ME "compare"

/* A misspelt room would look like a fleet without outliers. */
static int check_rooms(const struct fleet *fleet, const char *rooms)
{
	while (*rooms) {
		char name[32];
		size_t n = strcspn(rooms, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, rooms);
		if (n && !fleet_has_room(fleet, name))
			return command_error(ME, "no file has anything of room '%s'", name);
		rooms += n + (rooms[n] == ',');
	}
	return EXIT_OK;
}

int compare_fleet(const struct fleet_arguments *arguments, char *const *paths)
{
	struct fleet_faults faults = { 0 };
	struct fleet fleet;

	fleet_open(&fleet);
	fleet_read(&fleet, &faults, paths, arguments->rooms);
	int code = check_rooms(&fleet, arguments->rooms);
	if (code == EXIT_OK) {
		fleet_judge(&fleet, arguments->margin);
		if (arguments->json)
			fleet_print_json(&fleet, &faults, stdout);
		else
			fleet_print(&fleet, &faults, arguments->all, stdout);
		code = faults.n || !fleet.tests ? EXIT_FAILED : fleet.found ? EXIT_NO : EXIT_OK;
	}
	fleet_free(&fleet);
	fleet_faults_free(&faults);
	return finish_output(ME, stdout, code);
}
