"""ASCII FBX files of version 6 and 7 as objects with properties, and the links between them.

- A record is `Name: value, value { records }`. `;` starts a comment, `&quot;` in a string stands for a quote, commas too many do not matter.
- Version 7 names objects by number, version 6 by text such as "Model::hand"; the scene is 0 or "Model::Scene".
- A property that an object does not write has the value of its class in Definitions (PropertyTemplate).
- Version 6 writes the vertices into the Model: they become a Geometry of their own here, which takes over the deformers of the Model.
"""
import re

TOKEN = re.compile(r'"(?P<text>[^"]*)"|;[^\n]*|(?P<name>[A-Za-z_][\w|.\-]*):|(?P<brace>[{}])|(?P<word>[^\s,{}";]+)')
NUMBER = re.compile(r"[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?)")
TICKS_PER_S, TICKS_PER_S_NEW = 46186158000, 141120000
ROOT = 0


class Record:
    def __init__(self, name):
        self.name, self.values, self.records = name, [], []

    def all(self, name):
        return [record for record in self.records if record.name == name]

    def one(self, name):
        return next((record for record in self.records if record.name == name), None)

    def value(self, name, fallback=None):
        found = self.one(name)
        return found.values[0] if found and found.values else fallback

    def array(self, name):
        """The numbers of `name: *n { a: 1,2 }` or of `name: 1,2`."""
        found = self.one(name)
        if not found:
            return []
        inner = found.one("a")
        return inner.values if inner else [x for x in found.values if not isinstance(x, str)]


def value_of(word):
    if NUMBER.fullmatch(word):
        return float(word) if re.search(r"[.eE]", word) else int(word)
    return word


def parse(text):
    top = Record("")
    stack, last = [top], top
    for token in TOKEN.finditer(text):
        if token["name"]:
            last = Record(token["name"])
            stack[-1].records.append(last)
        elif token["brace"] == "{":
            stack.append(last)
        elif token["brace"] == "}":
            stack.pop()
        elif token["text"] is not None:
            last.values.append(token["text"].replace("&quot;", '"'))
        elif token["word"] and token["word"][0] != "*":
            last.values.append(value_of(token["word"]))
    return top


def properties_of(record):
    """{name: values} of a Properties70 or Properties60 below a record. If a name occurs several times, the first counts."""
    found = {}
    for list_name, entry, first in (("Properties70", "P", 4), ("Properties60", "Property", 3)):
        properties = record.one(list_name) if record else None
        for one in properties.all(entry) if properties else []:
            found.setdefault(one.values[0], one.values[first:])
    return found


class Object:
    def __init__(self, identity, record, full_name, subtype, template):
        self.id, self.record, self.kind, self.subtype = identity, record, record.name, subtype
        self.name = full_name.split("::", 1)[1] if "::" in full_name else full_name
        self.properties = {**template, **properties_of(record)}

    def number(self, name, fallback=0):
        return self.properties[name][0] if self.properties.get(name) else fallback

    def vector(self, name, fallback=(0, 0, 0)):
        values = self.properties.get(name) or fallback
        return [float(x) for x in values[:3]]


class Scene:
    """objects by id in the file's order; links (child, parent, property or None) in the file's order."""

    def __init__(self, text):
        self.top = parse(text)
        header = self.top.one("FBXHeaderExtension")
        self.version = header.value("FBXVersion", 7400)
        self.is_by_blender = header.value("Creator", "").startswith("Blender")
        self.ticks_per_s = self._ticks(header)
        self.settings = properties_of(self.top.one("GlobalSettings") or self.top.one("Objects").one("GlobalSettings"))
        templates = self._templates()
        self.objects = {}
        for record in self.top.one("Objects").records:
            if not record.values:
                continue
            identity, full_name, *subtype = record.values if self.version >= 7000 else [record.values[0], *record.values]
            self.objects[identity] = Object(identity, record, full_name, subtype[0] if subtype else "", templates.get(record.name, {}))
        self.links = self._links()
        if self.version < 7000:
            self._split_models()

    def _ticks(self, header):
        flags = header.one("OtherFlags")
        definition = flags.value("TCDefinition") if flags and header.value("FBXHeaderVersion", 0) >= 1004 else None
        if definition is None:
            return TICKS_PER_S if self.version < 8000 else TICKS_PER_S_NEW
        return TICKS_PER_S if definition == 127 else TICKS_PER_S_NEW

    def _templates(self):
        found = {}
        definitions = self.top.one("Definitions")
        for kind in definitions.all("ObjectType") if definitions else []:
            template = kind.one("PropertyTemplate")
            if template:
                found.setdefault(kind.values[0], properties_of(template))
        return found

    def _links(self):
        connections = self.top.one("Connections")
        found = []
        for c in connections.records if connections else []:
            kind, child, parent, *prop = c.values
            parent = ROOT if parent == "Model::Scene" else parent
            if kind in ("OO", "OP"):
                found.append((child, parent, prop[0] if kind == "OP" else None))
        return found

    def _split_models(self):
        for model in [o for o in self.objects.values() if o.kind == "Model" and o.record.one("Vertices")]:
            identity = "Geometry of " + model.id
            geometry = Object(identity, model.record, model.name, "Mesh", {})
            geometry.kind = "Geometry"
            self.objects[identity] = geometry
            self.links = [(child, identity if parent == model.id and self.kind(child) == "Deformer" else parent, prop)
                          for child, parent, prop in self.links]
            self.links.append((identity, model.id, None))

    def kind(self, identity):
        return self.objects[identity].kind if identity in self.objects else None

    def below(self, identity, kind, subtype=None):
        """[(object, property)] linked to an object, in the file's order."""
        return [(self.objects[child], prop) for child, parent, prop in self.links
                if parent == identity and self.kind(child) == kind and subtype in (None, self.objects[child].subtype)]

    def above(self, identity):
        """[(parent's id, property)]."""
        return [(parent, prop) for child, parent, prop in self.links if child == identity]

    def seconds(self, ticks):
        return ticks / self.ticks_per_s
