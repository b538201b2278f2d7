// Tests that FileWatch detects each method by which editors save a file, and reports no other
// events.

import Foundation
import TestSupport
import Testing

@testable import SerialPorts
@testable import ToolSupport

@Suite struct FileWatchTests {
    let folder = Folder()

    /// A timeout that is long enough for a slow computer.
    private static let patience: Int64 = 10_000_000
    /// A time in which FileWatch would detect any change.
    private static let short: Int64 = 100_000

    private func watched(_ name: String = "a.ahap") throws -> FileWatch {
        _ = try folder.write("a.ahap", "1")
        return try FileWatch(folder.path(name))
    }

    @Test func aFileThatIsWrittenInPlaceIsReportedOnce() throws {
        let watch = try watched()
        _ = try folder.write("a.ahap", "2")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        #expect(watch.changes(within: Self.short) == [])
    }

    @Test func aFileThatIsRenamedOverItIsReported() throws {
        let watch = try watched()
        for text in ["2", "3"] {
            let draft = try folder.write(".draft", text)
            #expect(rename(draft, folder.path("a.ahap")) == 0)
            #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        }
    }

    @Test func aBackupThatTakesTheFilesPlaceForAMomentIsNoObstacle() throws {
        let watch = try watched()
        #expect(rename(folder.path("a.ahap"), folder.path("a.ahap~")) == 0)
        _ = try folder.write("a.ahap", "2")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        #expect(folder.text("a.ahap") == "2")
    }

    @Test func severalStepsOfOneSaveAreReportedTogether() throws {
        let watch = try watched()
        let file = try FileHandle(forWritingTo: folder.url.appendingPathComponent("a.ahap"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data("2".utf8))
        try file.close()
        _ = try folder.write("a.ahap", "22")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        #expect(watch.changes(within: Self.short) == [])
    }

    @Test func aFileThatIsDeletedAndCreatedAgainIsReportedEachTime() throws {
        let watch = try watched()
        try FileManager.default.removeItem(atPath: folder.path("a.ahap"))
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        _ = try folder.write("a.ahap", "2")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
    }

    @Test func aFileThatIsNotThereYetIsAwaited() throws {
        let watch = try watched("b.ahap")
        _ = try folder.write("b.ahap", "1")
        #expect(watch.changes(within: Self.patience) == ["b.ahap"])
    }

    @Test func otherFilesOfTheFolderAreNotReported() throws {
        let watch = try watched()
        _ = try folder.write("other.ahap", "1")
        _ = try folder.write("a.ahap.swp", "1")
        #expect(watch.changes(within: Self.short) == [])
    }

    @Test func theFileBehindALinkIsWatchedAndTheLinkToo() throws {
        let home = Folder()
        let target = try home.write("target.ahap", "1")
        let link = folder.path("a.ahap")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let watch = try FileWatch(link)
        _ = try home.write("target.ahap", "2")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        let draft = try folder.write(".draft", "3")
        #expect(rename(draft, link) == 0)
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
    }

    @Test func everyFileOfAFolderIsWatched() throws {
        _ = try folder.write("a.ahap", "1")
        let watch = try FileWatch(folder.url.path)
        _ = try folder.write("b.ahap", "1")
        #expect(watch.changes(within: Self.patience) == ["b.ahap"])
        try FileManager.default.removeItem(atPath: folder.path("a.ahap"))
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
    }

    @Test func aFolderThatIsReplacedIsFollowed() throws {
        let inner = folder.url.appendingPathComponent("inner")
        let file = inner.appendingPathComponent("a.ahap")
        func make(_ text: String) throws {
            try FileManager.default.createDirectory(
                at: inner, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try make("1")
        let watch = try FileWatch(file.path)
        #expect(rename(inner.path, folder.path("old")) == 0)
        try make("2")
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        // FileWatch watches the folder that has the path now, not the folder that was moved away.
        _ = watch.changes(within: 1_000_000)
        try Data("3".utf8).write(to: file)
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
        _ = try folder.write("old/a.ahap", "4")
        #expect(watch.changes(within: Self.short) == [])
    }

    /// Checks that a change without a file event, as on a network file system, is detected by the
    /// modification time.
    @Test func aChangeWithoutAnyEventIsFoundByItsStamp() throws {
        let watch = try watched()
        let path = folder.path("a.ahap")
        let before = try #require(FileStamp(path))
        var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
        #expect(utimes(path, &times) == 0)
        #expect(FileStamp(path) != before)
        #expect(watch.changes(within: Self.patience) == ["a.ahap"])
    }

    @Test func aSignalEndsTheWait() throws {
        let watch = try watched()
        let eventSignal = try EventSignal()
        eventSignal.signal()
        #expect(watch.changes(within: Self.patience, orFor: eventSignal) == [])
    }

    @Test func aMissingFolderIsRefused() throws {
        let error = #expect(throws: ToolError.self) {
            try FileWatch(folder.path("none/a.ahap"))
        }
        #expect(error?.status == .noInput)
    }
}
