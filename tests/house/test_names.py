"""A class name means one thing."""

import ast
from collections import defaultdict

from house.test_rooms import package_files, tree_of

EVERYWHERE = {"Options"}
"""Nouns that every sibling has: the options of a method."""


def test_no_two_classes_share_a_name() -> None:
    found = defaultdict(list)
    for file in package_files():
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(file)
    assert {name: files for name, files in found.items() if files[1:]}.keys() <= EVERYWHERE
