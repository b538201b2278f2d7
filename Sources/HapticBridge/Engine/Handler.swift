// Handler: a function that the app provides.

import BridgeLink
import Foundation
import Logging

/// A function that the app provides. As in Core Haptics, the type of the function does not show
/// that the function may be called on another thread.
///
/// The conformance is unchecked: the function is called and released only on the queue
/// `EngineCore.callbacks`, and is only copied on all other threads. If an app reads a handler
/// property, the app is responsible for the thread on which it calls the function.
struct Handler<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
