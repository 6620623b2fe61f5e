/* SPDX-License-Identifier: MIT */
#include "linux/code_text.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OBJECT_MOST (1 << 20) /* bytes; a larger object file is not read */
#define FILE_MOST   65536
#define BLANKS      " \t\r\n"

/* Input and output of `as`, in memory. */
struct files {
	int text, object, errors;
};

/* Run the program `as` with these descriptors as its files. */
static int run_as(const struct files *f)
{
	char object[32];
	int status = 0;
	snprintf(object, sizeof(object), "/proc/self/fd/%d", f->object);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(f->text, STDIN_FILENO);
		dup2(f->errors, STDERR_FILENO);
		execlp("as", "as", "--64", "-o", object, "-", (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Take the first error from lines like "{standard input}:2: Error: no such instruction: ...". */
static void first_error(int errors, char *err, size_t err_bytes)
{
	char text[4096];
	ssize_t n = pread(errors, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "Error: ");
	at = at ? at + strlen("Error: ") : "it says nothing";
	snprintf(err, err_bytes, "code: `as` does not assemble it: %.*s", (int)strcspn(at, "\n"),
		at);
}

static const char no_object[] = "`as` made no object that can be read";

/* Find the bytes of section .text of an object. It is an error if they need a linker. */
static const char *find_text(const unsigned char *object, size_t bytes, const unsigned char **at,
	size_t *n)
{
	const Elf64_Ehdr *head = (const void *)object;
	if (bytes < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
		head->e_shoff > bytes ||
		head->e_shnum > (bytes - head->e_shoff) / sizeof(Elf64_Shdr))
		return no_object;
	const Elf64_Shdr *section = (const void *)(object + head->e_shoff);
	*n = 0;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		bool is_code =
			section[i].sh_type == SHT_PROGBITS && section[i].sh_flags & SHF_EXECINSTR;
		if (section[i].sh_type == SHT_RELA)
			return "it refers to something that is not in it";
		if (!is_code || !section[i].sh_size)
			continue;
		if (section[i].sh_offset > bytes ||
			section[i].sh_size > bytes - section[i].sh_offset)
			return no_object;
		*at = object + section[i].sh_offset;
		*n = section[i].sh_size;
	}
	return *n ? NULL : "it has no instruction";
}

static const char *to_hex(int object, char *hex, size_t hex_bytes)
{
	struct stat st;
	const unsigned char *at;
	size_t n, used = 0;
	const char *why = no_object;
	if (fstat(object, &st) || st.st_size > OBJECT_MOST)
		return why;
	unsigned char *all = malloc((size_t)st.st_size + 1);
	if (all && pread(object, all, (size_t)st.st_size, 0) == st.st_size)
		why = find_text(all, (size_t)st.st_size, &at, &n);
	if (!why && 3 * n > hex_bytes)
		why = "it has too many bytes";
	for (size_t i = 0; !why && i < n; i++)
		used += (size_t)snprintf(hex + used, hex_bytes - used, i ? " %02x" : "%02x", at[i]);
	free(all);
	return why;
}

/*
 * Assemble the text; write the bytes as text_to_bytes reads them. Returns 0, or -1 with the reason
 * in err.
 */
static int assemble(const char *text, char *hex, size_t hex_bytes, char *err, size_t err_bytes)
{
	struct files f = { memfd_create("text", 0), memfd_create("object", 0),
		memfd_create("errors", 0) };
	const char *why = NULL;
	dprintf(f.text, ".intel_syntax noprefix\n%s\n", text);
	lseek(f.text, 0, SEEK_SET);
	int status = run_as(&f);
	if (status == 127)
		why = "there is no program `as` here (package binutils)";
	else if (!status)
		why = to_hex(f.object, hex, hex_bytes);
	if (why)
		snprintf(err, err_bytes, "code: %s", why);
	else if (status)
		first_error(f.errors, err, err_bytes);
	close(f.text);
	close(f.object);
	close(f.errors);
	return status || why ? -1 : 0;
}

/* Returns true for digits only, with two in the first byte: no instruction is written so. */
static bool is_bytes(const char *text)
{
	text += strspn(text, BLANKS);
	return strspn(text, "0123456789abcdefABCDEF," BLANKS) == strlen(text) &&
		strcspn(text, "," BLANKS) <= 2;
}

/* Note the text for the result: in one line, as much as fits. */
static void note_source(char out[CODE_SOURCE], const char *text)
{
	snprintf(out, CODE_SOURCE, "%s", text);
	for (char *c = strchr(out, '\n'); c; c = strchr(c, '\n'))
		*c = c[1] ? ';' : 0;
}

static int set(struct options *o, const char *key, const char *value, char *err, size_t err_bytes)
{
	return settings_set(option_settings, option_settings_count, o, key, value, err, err_bytes);
}

int code_take(struct options *o, const char *key, const char *text, char *err, size_t err_bytes)
{
	char hex[CODE_TEXT];
	if (!text[strspn(text, BLANKS)]) {
		snprintf(err, err_bytes, "%s: it has no instruction", key);
		return -1;
	}
	if (is_bytes(text))
		return set(o, key, text, err, err_bytes);
	if (assemble(text, hex, sizeof(hex), err, err_bytes))
		return -1;
	if (!strcmp(key, "code"))
		note_source(o->code_source, text);
	return set(o, key, hex, err, err_bytes);
}

int code_take_file(struct options *o, const char *name, char *err, size_t err_bytes)
{
	char text[FILE_MOST];
	FILE *f = fopen(name, "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	bool failed = !f || ferror(f) || !feof(f);
	if (failed)
		snprintf(err, err_bytes, "cannot read '%.200s': %s", name,
			f && !ferror(f) ? "it is longer than 64 KiB" : strerror(errno));
	if (f)
		fclose(f);
	text[n] = 0;
	return failed ? -1 : code_take(o, "code", text, err, err_bytes);
}
