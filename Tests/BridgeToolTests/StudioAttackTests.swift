// Tests that a page cannot make `bridge studio` perform forbidden actions.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioAttackTests {
    @Test func noMessageLeadsOutOfTheFolder() throws {
        let rig = try StudioRig(StudioTests.held)
        let secret = Folder()
        let outside = try secret.write("outside.ahap", StudioTests.held)
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("link.ahap"), withDestinationPath: outside)
        let names = [
            "../outside.ahap", outside, "link.ahap", "..", "", ".hidden.ahap", "a.txt",
            "sub/a.ahap",
            "a.ahap\\u0000.txt", "a\\u007F.ahap", "a\\u0085.ahap", "a\\u202Epaha.ahap",
            "C:\\\\a.ahap", "/etc/passwd",
        ]
        for name in names {
            for type in ["open", "saveAs", "new", "delete"] {
                rig.page.send(request: #"{"type":"\#(type)","file":"\#(name)"}"#)
                let answer = rig.page.next("error")
                #expect(answer != nil, "\(type) \(name)")
            }
        }
        rig.page.send(request: #"{"type":"rename","file":"a.ahap","to":"../b.ahap"}"#)
        #expect(rig.page.next("error") != nil && rig.text == StudioTests.held)
        #expect(secret.text("outside.ahap") == StudioTests.held)
        let files = rig.page
        files.send(request: #"{"type":"new","file":"n.ahap"}"#)
        files.send(request: #"{"type":"save"}"#)
        #expect(files.next("files")?["files"] as? [String] == ["a.ahap", "n.ahap"])
    }

    /// Checks symbolic links in the folders that the studio writes to, because a cloned repository
    /// may contain symbolic links.
    @Test func aLinkLeadsNoTextOutOfTheFolder() throws {
        let rig = try StudioRig(StudioTests.held)
        let outside = Folder()
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("a.ahap.unsaved"),
            withDestinationPath: outside.path("stolen.txt"))
        try FileManager.default.createDirectory(
            atPath: rig.folder.path("sub"), withIntermediateDirectories: true)
        _ = try rig.folder.write("sub/hook.sh", StudioTests.held)
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("hook.ahap"), withDestinationPath: "sub/hook.sh")
        rig.page.send(request: #"{"type":"open","file":"hook.ahap"}"#)
        #expect(rig.page.next("error") != nil, "a script is not a pattern")
        rig.edit(0, StudioTests.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        rig.page.send(request: #"{"type":"open","file":"heartbeat"}"#)
        #expect(rig.page.next("document") { $0["file"] as? String == "heartbeat" } != nil)
        #expect(!FileManager.default.fileExists(atPath: outside.path("stolen.txt")))
        #expect(rig.folder.text("a.ahap.unsaved-2").contains("0.75"))
    }

    @Test func aLinkInThePlaceOfTheFolderLeadsNowhere() throws {
        let rig = try StudioRig(StudioTests.held)
        let outside = Folder()
        _ = try outside.write("victim.ahap", StudioTests.held)
        let path = rig.folder.url.path
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: outside.url.path)
        rig.page.send(request: #"{"type":"delete","file":"victim.ahap"}"#)
        let refused = { (message: [String: Any]) in
            (message["message"] as? String)?.contains("now a link to another folder") == true
        }
        #expect(rig.page.next("error", where: refused) != nil)
        rig.page.send(request: #"{"type":"new","file":"planted.ahap"}"#)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("error", where: refused) != nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: outside.url.path) == ["victim.ahap"]
        )
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
    }

    @Test func aPipeInTheFolderIsNoFile() throws {
        let rig = try StudioRig(StudioTests.held)
        try #require(mkfifo(rig.folder.path("pipe.ahap"), 0o600) == 0)
        rig.page.send(request: #"{"type":"open","file":"pipe.ahap"}"#)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"new","file":"n.ahap"}"#)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("files")?["files"] as? [String] == ["a.ahap", "n.ahap"])
    }

    /// Replaces the open document with a pipe, with and without a saved text. Checks that a save
    /// neither waits for a reader of the pipe nor replaces the pipe.
    @Test(arguments: ["a.ahap", "n.ahap"]) func aSaveMeetsNoPipe(name: String) throws {
        let rig = try StudioRig(StudioTests.held)
        if name == "n.ahap" { rig.page.send(request: #"{"type":"new","file":"n.ahap"}"#) }
        rig.edit(0, StudioTests.intensity, "0.75")
        unlink(rig.folder.path(name))
        try #require(mkfifo(rig.folder.path(name), 0o600) == 0)
        rig.page.send(request: #"{"type":"save"}"#)
        let error = rig.page.next("error")?["message"] as? String
        #expect(error?.hasPrefix("\(name): ") == true, "\(error ?? "")")
        var status = stat()
        #expect(stat(rig.folder.path(name), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aFileThatAnotherProgramHasMadeMeanwhileIsNotReplaced() throws {
        let rig = try StudioRig(StudioTests.held)
        rig.page.send(request: #"{"type":"new","file":"n.ahap"}"#)
        #expect(rig.page.next("document") { $0["file"] as? String == "n.ahap" } != nil)
        _ = try rig.folder.write("n.ahap", "somebody's work")
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("conflict") != nil)
        #expect(rig.folder.text("n.ahap") == "somebody's work")
    }

    @Test(arguments: ["{", "[]", "\u{0}", #"{"type":"edit","revision":"0","edits":{}}"#])
    func aMessageThatIsNoneIsAnsweredAndHarmsNothing(_ text: String) throws {
        let rig = try StudioRig(StudioTests.held)
        rig.page.send(request: text)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == StudioTests.held)
    }

    @Test func anEditOfAnotherVersionIsNotMade() throws {
        let rig = try StudioRig(StudioTests.held)
        _ = rig.page.next("document")
        rig.edit(5, StudioTests.intensity, "0.9")
        let answer = try #require(rig.page.next("document"))
        #expect(answer["revision"] as? Int == 0 && answer["document"] is [String: Any])
    }
}
