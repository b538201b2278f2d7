// Tests of the files that the tool writes: the attributes that each file keeps from the file it
// replaces, and the state of the file after a failure.

import Foundation
import TestSupport
import Testing

@Suite struct OutputFileTests {
    let folder = Folder()

    private func link(_ name: String, to target: String) throws -> String {
        #expect(symlink(target, folder.path(name)) == 0)
        return folder.path(name)
    }

    private func status(_ name: String) -> stat {
        var status = stat()
        #expect(lstat(folder.path(name), &status) == 0)
        return status
    }

    private func isLink(_ name: String) -> Bool { status(name).st_mode & S_IFMT == S_IFLNK }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    }

    @Test func aLinkStaysOneAndTheFileItLeadsToIsRepaired() throws {
        let files = folder.url.appendingPathComponent("files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
        _ = try folder.write("files/comma.ahap", Samples.trailingComma)
        _ = try link("near.ahap", to: "files/comma.ahap")
        let path = try link("far.ahap", to: folder.path("near.ahap"))
        let outcome = try Tool.bridge("lint", "--fix", path)
        #expect(outcome.status == 0 && isLink("near.ahap") && isLink("far.ahap"), "\(outcome)")
        #expect(folder.text("files/comma.ahap") == Samples.tap)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == ["comma.ahap"])
    }

    @Test func aLinkToNothingIsWrittenThrough() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        let output = try link("tap.hbes", to: "made.hbes")
        let outcome = try Tool.bridge("compile", path, "-o", output)
        #expect(outcome.status == 0 && isLink("tap.hbes"), "\(outcome)")
        let made = try Data(contentsOf: folder.url.appendingPathComponent("made.hbes"))
        #expect(made.starts(with: Array("HBES".utf8)))
        _ = try link("loop", to: "loop")
        let loop = try Tool.bridge("compile", path, "-o", folder.path("loop"))
        #expect(loop.status == 73 && loop.errors.contains("symbolic links"), "\(loop)")
    }

    @Test(arguments: [0o600, 0o664, 0o755] as [mode_t])
    func aFileThatIsReplacedKeepsItsMode(mode: mode_t) throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        chmod(path, mode)
        #expect(try Tool.bridge("lint", "--fix", path).status == 0)
        #expect(folder.text("comma.ahap") == Samples.tap)
        #expect(status("comma.ahap").st_mode & 0o7777 == mode)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a file"))
    func aFileThatIsReplacedKeepsItsOwner() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        #expect(chown(path, 1_234, 2_345) == 0)
        #expect(try Tool.bridge("lint", "--fix", path).status == 0)
        #expect(folder.text("comma.ahap") == Samples.tap)
        #expect(status("comma.ahap").st_uid == 1_234 && status("comma.ahap").st_gid == 2_345)
    }

    @Test(.enabled(if: access("/dev/full", F_OK) == 0, "there is no /dev/full"))
    func aFullDeviceIsNoSuccess() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        let outcome = try Tool.bridge("compile", path, "-o", "/dev/full")
        #expect(outcome.status == 73 && outcome.errors.contains("No space left"), "\(outcome)")
    }

    @Test(.enabled(if: access("/dev/full", F_OK) == 0, "there is no /dev/full"))
    func aTraceThatFindsNoRoomEndsThePlay() throws {
        let path = try folder.write("buzz.ahap", Samples.buzz(seconds: 1))
        let outcome = try Tool.bridge("play", "--virtual", "--trace", "/dev/full", path)
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.contains("/dev/full: writing the trace failed"), "\(outcome)")
    }

    /// Sets the file-size limit of the process, because a test cannot fill the disk.
    @Test func aFileThatFindsNoRoomLeavesTheOldOneAndNoDraft() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        let picture = try folder.write("tap.svg", "the earlier contents")
        let before = try names()
        let render = "\(Tool.executable("bridge").path) render \(path) -o \(picture)"
        let outcome = try RunningTool(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "ulimit -f 1; exec \(render)"]
        ).outcome()
        #expect(outcome.status == 73 && outcome.errors.contains("tap.svg: cannot be written"))
        #expect(outcome.errors.contains("too large"), "\(outcome)")
        #expect(folder.text("tap.svg") == "the earlier contents")
        #expect(try names() == before)
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        let outcome = try Tool.bridge("compile", path, "-o", folder.path("none/tap.hbes"))
        #expect(outcome.status == 73 && outcome.errors.contains("No such file"), "\(outcome)")
    }

    /// Checks that an output file never overwrites its source.
    @Test(arguments: [
        ["compile", "a.ahap", "-o", "a.ahap"], ["render", "a.ahap", "--wav", "a.ahap"],
        ["render", "a.ahap", "--wav", "link.wav"], ["render", "a.svg", "-o", "a.svg"],
    ])
    func theSourceIsKept(arguments: [String]) throws {
        let folder = Folder()
        for name in ["a.ahap", "a.svg"] { _ = try folder.write(name, Samples.tap) }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.wav"), withDestinationPath: "a.ahap")
        let paths = arguments.map { $0.contains(".") ? folder.path($0) : $0 }
        let outcome = try RunningTool(Tool.executable("bridge"), paths).outcome()
        #expect(
            outcome.status == 64 && outcome.errors.contains("this is the input file"), "\(outcome)")
        #expect(folder.text("a.ahap") == Samples.tap && folder.text("a.svg") == Samples.tap)
    }
}
