// SPDX-License-Identifier: BSD-3-Clause
// The program gamelan-kernel: loads the kernel, which lies beside it in ../lib/gamelan, and runs it in this
// very process. Only libc is linked here, so that a library that is not on this machine is told in a sentence
// with its package and the mend: the dynamic linker would end a program before main(), in words of its own.
// Loading here instead of there costs nothing. Knows neither Jupyter nor Python.
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const kernel_place = "/../lib/gamelan/gamelan-kernel.so";

// Debian's package of a library, by the rule that its policy has for names: libgssapi_krb5.so.2 is in
// libgssapi-krb5-2. Empty where the name does not tell.
static void package_of(const char* library, char* package, size_t size) {
  static const char* const others[][2] = {
      {"libcrypto.so.3", "libssl3"}, {"libssl.so.3", "libssl3"}, {"libz.so.1", "zlib1g"}};
  package[0] = '\0';
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    if (strcmp(library, others[i][0]) == 0) snprintf(package, size, "%s", others[i][1]);
  }
  const char* const suffix = strstr(library, ".so.");
  if (package[0] != '\0' || suffix == NULL || suffix == library) return;
  const char* version = suffix + strlen(".so.");
  const char* between = isdigit((unsigned char)suffix[-1]) ? "-" : "";
  if (strncmp(library, "libpython", strlen("libpython")) == 0) between = version = "";  // its name has it
  snprintf(package, size, "%.*s%s%s", (int)(suffix - library), library, between, version);
  for (char* letter = package; *letter != '\0'; ++letter) {
    *letter = *letter == '_' ? '-' : (char)tolower((unsigned char)*letter);
  }
}

// Says in one sentence why the kernel was not loaded. `told` is the linker's text.
static int refuse(const char* place, const char* told) {
  static const char* const lacking = ": cannot open shared object file";
  const char* const end = strstr(told, lacking);
  if (end != NULL && strncmp(told, place, strlen(place)) == 0) {
    fprintf(stderr, "gamelan-kernel: %s is not there: build or install Gamelan again\n", place);
  } else if (end != NULL) {
    char library[NAME_MAX + 1];
    char package[NAME_MAX + 8];
    snprintf(library, sizeof library, "%.*s", (int)(end - told), told);
    package_of(library, package, sizeof package);
    fprintf(stderr,
            "gamelan-kernel: the library %s is not on this machine: install it%s%s%s or load the module that "
            "has it; or build Gamelan here, by `pip install .` in its sources\n",
            library, package[0] != '\0' ? " (in Debian the package " : "", package,
            package[0] != '\0' ? ")" : "");
  } else {
    fprintf(
        stderr,
        "gamelan-kernel: Gamelan was built for another system than this one (%s): install the package that "
        "was made for this distribution, or build it here, by `pip install .` in its sources\n",
        told);
  }
  return 1;
}

int main(int argc, char** argv) {
  char place[PATH_MAX + 64];
  const ssize_t length = readlink("/proc/self/exe", place, PATH_MAX);
  char* const last = length > 0 ? memrchr(place, '/', (size_t)length) : NULL;
  if (last == NULL) return refuse("", "/proc is not mounted");
  strcpy(last, kernel_place);
  // Global: the modules that Python loads later find Python itself, as they do in a program linked with it.
  void* const kernel = dlopen(place, RTLD_LAZY | RTLD_GLOBAL);
  if (kernel == NULL) return refuse(place, dlerror());
  int (*run)(int, char**) = NULL;
  *(void**)&run = dlsym(kernel, "gamelan_kernel_main");
  if (run == NULL) return refuse(place, dlerror());
  return run(argc, argv);
}
