/* SPDX-License-Identifier: MIT */
/*
 * A machine for `anechoic boot`: a directory that stands for its EFI system partition and one for
 * efivarfs (libefivar's EFIVARFS_PATH), with a system's files and entries in them; and a child that
 * is killed before the n-th call that changes anything.
 */
#ifndef TESTS_UNIT_BOOT_WORLD_H
#define TESTS_UNIT_BOOT_WORLD_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/crc32.h"
#include "linux/boot/whole_file.h"
#include "tests/unit/test.h"

#define GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"

static char world[PATH_MAX], esp_root[PATH_MAX], efivars[PATH_MAX];

/* libefivar reads its environment before main(): the test starts itself again. */
static inline void world_open(void)
{
	char template[] = "/tmp/boot-test-XXXXXX", path[PATH_MAX];

	if (!getenv("BOOT_WORLD")) {
		setenv("BOOT_WORLD", mkdtemp(template), 1);
		snprintf(path, sizeof path, "%s/efivars/", template);
		mkdir(path, 0700);
		setenv("EFIVARFS_PATH", path, 1);
		execl("/proc/self/exe", "boot_world", NULL);
	}
	snprintf(world, sizeof world, "%s", getenv("BOOT_WORLD"));
	path_of(esp_root, world, "esp");
	path_of(efivars, world, "efivars");
}

static inline void put_file(const char *folder, const char *name, const void *data, size_t n)
{
	char path[PATH_MAX];
	FILE *out = fopen(path_of(path, folder, name), "wb");

	assert_non_null(out);
	fwrite(data, 1, n, out);
	fclose(out);
}

/* A variable as efivarfs has it: four bytes of attributes before its data. */
static inline void put_variable(const char *name, const void *data, size_t n)
{
	unsigned char file[256] = { 7 };

	memcpy(file + 4, data, n);
	put_file(efivars, name, file, n + 4);
}

static inline int delete_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	return remove(path);
}

static inline void world_close(void)
{
	nftw(world, delete_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A machine on which nothing of ours is: an installed system with its loader and its entry. */
static inline void world_renew(void)
{
	char path[PATH_MAX];

	world_close();
	mkdir(world, 0700);
	mkdir(esp_root, 0700);
	mkdir(efivars, 0700);
	mkdir(path_of(path, esp_root, "EFI"), 0700);
	put_file(path, "loader.efi", "theirs", 6);
	put_variable("Boot0000-" GLOBAL, "\1\0\0\0\4\0o\0s\0\0\0\x7f\xff\4\0", 16);
	put_variable("BootOrder-" GLOBAL, "\0\0", 2);
}

static char *listed_to;

static inline int list_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	size_t n = 0;
	char *data = type == FTW_F ? file_bytes(path, &n) : NULL;

	if (type != FTW_F || st->st_size) /* one of 0 bytes in efivarfs is no variable yet */
		listed_to += sprintf(listed_to, "%s %zu %08x\n", path + strlen(world), n,
			data ? crc32_of(0, data, n) : 0);
	free(data);
	return 0;
}

/* Every file and variable with its content, in no order that matters: nftw's, sorted. */
static inline int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline char *world_listed(void)
{
	static char all[65536];
	char *lines[256], *sorted = malloc(sizeof all), *at = sorted;
	size_t n = 0;

	*(listed_to = all) = 0;
	nftw(world, list_one, 8, FTW_PHYS);
	for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n"))
		lines[n++] = line;
	qsort(lines, n, sizeof *lines, by_text);
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s\n", lines[i]);
	return sorted;
}

static inline bool changes_something(const struct user_regs_struct *r)
{
	switch (r->orig_rax) {
	case SYS_openat:
		return r->rdx & O_CREAT;
	case SYS_open:
		return r->rsi & O_CREAT;
	case SYS_write:
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_mkdir:
	case SYS_rmdir:
		return true;
	default:
		return false;
	}
}

static bool renamed_unflushed; /* what was written was renamed before it was flushed */
static bool went_on_unflushed; /* the next step before file and folder were, under the new name */
static bool written;
static unsigned to_flush;

static inline void watch_flushes(const struct user_regs_struct *r)
{
	went_on_unflushed |= to_flush && changes_something(r);
	switch (r->orig_rax) {
	case SYS_write:
		written = true;
		break;
	case SYS_fsync:
		written = false;
		to_flush -= to_flush ? 1 : 0;
		break;
	case SYS_rename:
	case SYS_renameat:
	case SYS_renameat2:
		renamed_unflushed |= written;
		to_flush = 2;
	}
}

/* Runs it in a child that is killed before its n-th change. false: it came to its end before. */
static inline bool killed_before(unsigned n, void (*what)(void))
{
	struct user_regs_struct r;
	bool entering = false;
	int status;
	pid_t pid = fork();

	written = false;
	to_flush = 0;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		what();
		_exit(0);
	}
	for (waitpid(pid, &status, 0); WIFSTOPPED(status); waitpid(pid, &status, 0)) {
		if (WSTOPSIG(status) == SIGTRAP)
			entering = !entering;
		if (entering && !ptrace(PTRACE_GETREGS, pid, NULL, &r)) {
			watch_flushes(&r);
			if (changes_something(&r) && !--n)
				kill(pid, SIGKILL);
		}
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	}
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status);
}

#endif
