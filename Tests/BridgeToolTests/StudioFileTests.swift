// Tests of the files that `bridge studio` saves, renames and deletes in its folder, and of the
// unsaved text that it keeps.

import Foundation
import SerialPorts
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioFileTests {
    private static let held = StudioTests.held
    private static let intensity = StudioTests.intensity

    /// Checks a document whose folder has been removed. As on a full disk, the studio cannot write
    /// the document.
    @Test func whatCannotBeKeptBesideTheFileIsKeptElsewhere() throws {
        let rig = try StudioRig(Self.held)
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        try FileManager.default.removeItem(at: rig.folder.url)
        rig.page.send(request: #"{"type":"open","file":"heartbeat"}"#)
        #expect(rig.page.next("document") { $0["file"] as? String == "heartbeat" } != nil)
        let notice = rig.page.next("error")?["message"] as? String ?? ""
        let place = notice.components(separatedBy: "kept as ").last ?? ""
        #expect(place.hasSuffix("/haptic-bridge/unsaved/a.ahap.unsaved"), "\(notice)")
        let kept = try String(contentsOfFile: place, encoding: .utf8)
        #expect(kept == Self.held.replacing("0.5 ", with: "0.75 "))
    }

    @Test func whatCannotBeKeptAnywhereStaysOpenUnlessItMayBeLost() throws {
        let state = Folder()
        _ = try state.write("state", "a file is not a folder")
        let rig = try StudioRig(Self.held, state: state.path("state"))
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        try FileManager.default.removeItem(at: rig.folder.url)
        for request in [
            #"{"type":"open","file":"heartbeat"}"#, #"{"type":"new","file":"n.ahap"}"#,
            #"{"type":"save"}"#,
        ] {
            rig.page.send(request: request)
            #expect(rig.page.next("error") != nil, "\(request)")
        }
        rig.page.send(request: #"{"type":"undo"}"#)
        let document = rig.page.next("document")
        #expect(document?["file"] as? String == "a.ahap", "the edits are still present")
        #expect(document?["canRedo"] as? Bool == true)
        rig.page.send(request: #"{"type":"redo"}"#)
        rig.page.send(request: #"{"type":"open","file":"heartbeat","mayLose":true}"#)
        #expect(rig.page.next("document") { $0["file"] as? String == "heartbeat" } != nil)
    }

    @Test func theTextOfAFileWithALongNameIsKept() throws {
        let rig = try StudioRig(Self.held)
        let name = String(repeating: "n", count: 250) + ".ahap"
        rig.page.send(request: #"{"type":"saveAs","file":"\#(name)"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        rig.page.send(request: #"{"type":"open","file":"a.ahap"}"#)
        #expect(rig.page.next("document") { $0["file"] as? String == "a.ahap" } != nil)
        let notice = rig.page.next("error")?["message"] as? String ?? ""
        #expect(notice.contains(".unsaved"), "\(notice)")
    }

    @Test func whatAnEarlierRunHasKeptIsReportedAndStays() throws {
        let rig = try StudioRig(Self.held)
        _ = try rig.folder.write("a.ahap.unsaved", "earlier")
        rig.page.send(request: #"{"type":"open","file":"a.ahap"}"#)
        let notice = rig.page.next("error")
        #expect((notice?["message"] as? String)?.contains("a.ahap.unsaved") == true)
        rig.awaitBoard()
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        rig.tool.signal(SIGINT)
        let outcome = rig.tool.outcome()
        #expect(!outcome.errors.contains("EventLoop"), "\(outcome.errors)")
        #expect(rig.folder.text("a.ahap.unsaved") == "earlier")
        #expect(
            rig.folder.text("a.ahap.unsaved-2") == Self.held.replacing("0.5 ", with: "0.75 "))
    }

    @Test func aSaveOfAnotherEditorShows() throws {
        let rig = try StudioRig(Self.held)
        _ = rig.page.next("document")
        _ = try rig.folder.write("a.ahap", Self.held.replacing("0.5 ", with: "0.8 "))
        let document = try #require(rig.page.next("document"))
        #expect(document["cause"] as? String == "disk" && document["isSaved"] as? Bool == true)
        rig.page.send(request: #"{"type":"undo"}"#)
        #expect(rig.page.next("document")?["isSaved"] as? Bool == false)
    }

    @Test func aConflictAsks() throws {
        let rig = try StudioRig(Self.held)
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        let other = Self.held.replacing("0.5 ", with: "0.8 ")
        _ = try rig.folder.write("a.ahap", other)
        #expect(rig.page.next("conflict")?["file"] as? String == "a.ahap")
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("conflict") != nil && rig.text == other)
        for type in ["keep", "reload"] {
            rig.page.send(request: #"{"type":"\#(type)","file":"b.ahap"}"#)
            #expect(
                (rig.page.next("error")?["message"] as? String)?.contains("no longer open") == true)
        }
        #expect(rig.text == other)
        rig.page.send(request: #"{"type":"keep","file":"a.ahap"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == Self.held.replacing("0.5 ", with: "0.75 "))
    }

    /// Checks that a save does not replace an unreadable file that another program has put in place
    /// of the document, even if the studio has not yet detected the change.
    @Test(arguments: [false, true])
    func aFileThatWasReplacedByOneThatCannotBeReadIsNotOverwritten(isNoticed: Bool) throws {
        let rig = try StudioRig(Self.held)
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        let large = try rig.folder.write("large", "")
        #expect(truncate(large, 65 << 20) == 0)
        #expect(rename(large, rig.folder.path("a.ahap")) == 0)
        if isNoticed { hostClock.sleep(for: .milliseconds(2_000)) }
        rig.page.send(request: #"{"type":"save"}"#)
        let error = rig.page.next("error") {
            ($0["message"] as? String)?.contains("cannot be read") == true
        }
        #expect(error != nil)
        var status = stat()
        #expect(stat(rig.folder.path("a.ahap"), &status) == 0 && status.st_size == 65 << 20)
    }

    @Test func aFileThatIsDeletedElsewhereIsNotSavedAndCanBeMadeAgain() throws {
        let rig = try StudioRig(Self.held)
        try FileManager.default.removeItem(atPath: rig.folder.path("a.ahap"))
        let document = rig.page.next("document") { $0["cause"] as? String == "lost" }
        #expect(document?["isSaved"] as? Bool == false)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == Self.held)
    }

    @Test func aTextThatIsKeptIsOpenedAndSavedUnderANameOfItsOwn() throws {
        let rig = try StudioRig(Self.held)
        let text = Self.held.replacing("0.5 ", with: "0.75 ")
        _ = try rig.folder.write("a.ahap.unsaved-2", text)
        #expect(
            rig.page.next("files")?["files"] as? [String] == ["a.ahap", "a.ahap.unsaved-2"])
        rig.page.send(request: #"{"type":"open","file":"a.ahap.unsaved-2"}"#)
        let document = rig.page.next("document") { $0["file"] as? String == "a.ahap.unsaved-2" }
        #expect(document?["isReadOnly"] as? Bool == true)
        rig.page.send(request: #"{"type":"saveAs","file":"b.ahap"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.folder.text("b.ahap") == text)
        rig.page.send(request: #"{"type":"open","file":"a.ahap.unsaved-2"}"#)
        rig.page.send(
            request: #"{"type":"rename","file":"a.ahap.unsaved-2","to":"c.ahap"}"#)
        let renamed = rig.page.next("document") { $0["cause"] as? String == "rename" }
        #expect(renamed?["isReadOnly"] as? Bool == false)
        _ = try rig.folder.write("a.ahap.unsaved", text)
        rig.page.send(request: #"{"type":"delete","file":"a.ahap.unsaved"}"#)
        let all = ["a.ahap", "b.ahap", "c.ahap"]
        #expect(rig.page.next("files") { $0["files"] as? [String] == all } != nil)
    }

    @Test func aNamedPatternIsSavedUnderAnotherName() throws {
        let rig = try StudioRig(Self.held)
        rig.page.send(request: #"{"type":"open","file":"success"}"#)
        let document = rig.page.next("document") { $0["file"] as? String == "success" }
        #expect(document?["isReadOnly"] as? Bool == true)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"saveAs","file":"mine.ahap"}"#)
        #expect(rig.page.next("files")?["files"] as? [String] == ["a.ahap", "mine.ahap"])
        #expect(rig.folder.text("mine.ahap").contains("HapticTransient"))
        rig.page.send(request: #"{"type":"saveAs","file":"a.ahap"}"#)
        #expect(rig.page.next("error") != nil && rig.text == Self.held)
    }

    @Test func aFolderIsNotRenamed() throws {
        let rig = try StudioRig(Self.held)
        let folder = rig.folder.path("folder.ahap")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        rig.page.send(request: #"{"type":"rename","file":"folder.ahap","to":"m.ahap"}"#)
        let error = rig.page.next("error")?["message"] as? String ?? ""
        #expect(error.contains("it is a folder, a pipe or a device"), "\(error)")
        #expect(FileManager.default.fileExists(atPath: folder))
    }

    @Test func filesAreMadeRenamedAndDeleted() throws {
        let rig = try StudioRig(Self.held)
        rig.page.send(request: #"{"type":"new","file":"n.ahap"}"#)
        _ = rig.page.next("document") { $0["file"] as? String == "n.ahap" }
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("files")?["files"] as? [String] == ["a.ahap", "n.ahap"])
        rig.page.send(request: #"{"type":"rename","file":"n.ahap","to":"m.ahap"}"#)
        let renamed = rig.page.next("document") { $0["cause"] as? String == "rename" }
        #expect(renamed?["file"] as? String == "m.ahap" && renamed?["isSaved"] as? Bool == true)
        #expect(
            rig.page.next("files") { $0["files"] as? [String] == ["a.ahap", "m.ahap"] } != nil)
        rig.page.send(request: #"{"type":"delete","file":"m.ahap"}"#)
        #expect(rig.page.next("closed") != nil)
        #expect(rig.page.next("files") { $0["files"] as? [String] == ["a.ahap"] } != nil)
    }
}
