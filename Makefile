# make [config=release|debug|sanitize] [werror=1] [CC=clang]; `make help` lists the targets.
config ?= release
ifeq ($(filter $(config),release debug sanitize),)
$(error config=$(config): use release, debug or sanitize)
endif
# release writes build/posed*, the others build/<config>/posed*
out ?= $(if $(filter release,$(config)),build,build/$(config))
obj := $(out)/obj

PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3

# -ffp-contract=off: a product and a sum fused on one machine and not on another would give other bits.
CFLAGS ?= -g
flags := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wstrict-prototypes \
  -Wmissing-prototypes -Wdouble-promotion -Wwrite-strings -Wformat=2 -Wconversion -Wundef -fno-common \
  -ffp-contract=off -fstack-protector-strong -pthread
flags += $(if $(werror),-Werror)
flags_debug := -O0
flags_release := -O2 -D_FORTIFY_SOURCE=2
flags_sanitize := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
flags += $(flags_$(config))

programs := $(out)/posed $(out)/posed-import $(out)/posed-render

folder_objects = $(patsubst %.c,$(obj)/%.o,$(wildcard server/$(1)/*.c))
base := $(call folder_objects,base)
anim := $(call folder_objects,anim)
wire := $(call folder_objects,wire) $(obj)/llhttp/llhttp.o $(obj)/llhttp/api.o $(obj)/llhttp/http.o
worker := $(call folder_objects,worker)
import := $(call folder_objects,import)
render := $(call folder_objects,render)
app := $(call folder_objects,app)

libs_of = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null)
libs_app = $(call libs_of,libuv)
libs_import = $(call libs_of,libcjson assimp libpng libturbojpeg nettle)
libs_render = $(call libs_of,osmesa libpng libisal) -ldl

all: $(programs)

$(out)/posed: $(app) $(wire) $(anim) $(base)
	$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_app) -lm
$(out)/posed-import: $(import) $(worker) $(anim) $(base)
	$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_import) -lm
$(out)/posed-render: $(render) $(worker) $(anim) $(base)
	$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_render) -lm

$(obj)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(flags) -I$(out)/gen -c -MMD -MP -o $@ $<

# Debian 12 ships llhttp as C sources. Strict mode, because the default lets request-smuggling forms through.
LLHTTP ?= /usr/share/llhttp
$(obj)/llhttp/%.o: $(LLHTTP)/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(filter-out -W%,$(flags)) -w -DLLHTTP_STRICT_MODE=1 -c -o $@ $<

# shaders/skin.vert becomes the C string shader_skin_vert in gen/shaders.h
$(render): $(out)/gen/shaders.h
$(out)/gen/shaders.h: $(wildcard shaders/*.vert shaders/*.frag)
	@mkdir -p $(@D)
	@for f in $^; do n=$$(basename $$f | tr . _); printf 'static const char shader_%s[] =\n' $$n; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $$f; echo ';'; done > $@

test_sources := $(wildcard tests/unit/*.c)
tested := $(filter-out %/main.o,$(app) $(wire) $(worker) $(import) $(render) $(anim) $(base))
$(out)/test/unit: $(patsubst %.c,$(obj)/%.o,$(test_sources)) $(tested)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_app) $(libs_import) $(libs_render) $(call libs_of,cmocka) -lm

test-unit: $(out)/test/unit
	$(out)/test/unit $(t)

-include $(shell find $(obj) -name '*.d' 2>/dev/null)

clean:
	rm -rf build

.PHONY: all test-unit clean
