// Tests of the external programs that the tool starts.

import Foundation
import TestSupport
import Testing

@Suite struct ChildProgramTests {
    let folder = Folder()

    /// Creates a script that replaces a program. Returns an environment whose PATH begins with the
    /// folder of the script.
    private func standIn(_ name: String, _ script: String) throws -> [String: String] {
        try folder.writeProgram(name, "#!/bin/sh\n" + script)
        return ["PATH": "\(folder.url.path):/usr/bin:/bin"]
    }

    @Test func thePictureIsForTheConverterOnly() throws {
        let outcome = try renderedPicture(
            "echo \"$@\" >$0.arguments; stat -L -c %a /dev/stdin >$0.mode; cat >$0.svg; printf PNG")
        #expect(outcome.status == 0 && folder.text("tap.png") == "PNG", "\(outcome)")
        #expect(folder.text("rsvg-convert.svg").contains("<svg"))
        #expect(folder.text("rsvg-convert.arguments") == "--zoom 2 --format png\n")
        #expect(folder.text("rsvg-convert.mode") == "600\n")
    }

    @Test func aProgramIsNotStartedWithSIGPIPEIgnored() throws {
        let outcome = try renderedPicture(
            "sh -c 'kill -PIPE $$; echo ignored' >$0.pipe; cat >/dev/null; printf PNG")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(folder.text("rsvg-convert.pipe").isEmpty)
    }

    /// Renders a tap as PNG with `script` in place of the converter program.
    private func renderedPicture(_ script: String) throws -> Outcome {
        let path = try folder.write("tap.ahap", Samples.tap)
        return try RunningTool(
            Tool.executable("bridge"), ["render", path, "-o", folder.path("tap.png")],
            environment: standIn("rsvg-convert", script)
        ).outcome()
    }
}
