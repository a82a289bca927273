#!/usr/bin/env python3
"""Inspects the jars of the Java SDK, after `sdk/build java`: what is packed is what is needed."""
import json
import pathlib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"client": "client", "servlet": "servlet", "langchain4j": "langchain4j", "spring-ai": "springai", "google-adk": "adk"}

for folder, package in NAMES.items():
    def jar(kind):
        return zipfile.ZipFile(next((HERE / folder / "target").glob(f"safeconduct-{folder}-[0-9].[0-9].[0-9]{kind}.jar")))

    with jar("") as classes, jar("-sources") as sources, jar("-javadoc") as javadoc:
        packed = classes.namelist()
        assert "META-INF/LICENSE" in packed, folder
        assert f"Automatic-Module-Name: dev.safeconduct.{package}\r\n".encode() in classes.read("META-INF/MANIFEST.MF"), folder
        own = [name for name in packed if name.endswith(".class")]
        assert own and all(name.startswith(f"dev/safeconduct/{package}/") for name in own), own
        assert not [name for name in packed if "Test" in name or "EchoService" in name], packed
        # Class files of JDK 17, readable by it and by all that is newer.
        assert {classes.read(name)[7] for name in own} == {61}, folder
        for name in own:
            if "$" not in name:
                source = name[:-len("class")] + "java"
                assert source in sources.namelist(), source
        page = f"dev/safeconduct/{package}/package-summary.html"
        assert any(name.endswith(page) for name in javadoc.namelist()), folder
        if folder == "client":
            policies = {file.parent.name for file in (HERE.parents[1] / "policies").glob("*/policy.json")}
            assert set(json.loads(classes.read("dev/safeconduct/client/declared.json"))) == policies
            contexts = [name for name in own if "/contexts/" in name and "$" not in name]
            assert len(contexts) == len(policies) + 2, contexts  # with Context and package-info
            assert "dev/safeconduct/client/contexts/SystemCommandExecuteV1.java" in sources.namelist()
print(f"{len(NAMES)} jars with sources and javadoc")
