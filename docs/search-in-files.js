// Search in a site that is opened as files, without a server: browsers start no worker from a file, so that a
// frame plays its part. The theme looks for the name IFrameWorker.
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html>";
      frame.addEventListener("load", () => this.start(frame, url), { once: true });
      document.body.append(frame);
    }

    async start(frame, url) {
      const inside = frame.contentWindow;
      const load = (source) => new Promise((done, failed) => {
        const script = frame.contentDocument.createElement("script");
        script.src = source;
        script.onload = done;
        script.onerror = failed;
        frame.contentDocument.body.append(script);
      });
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = async (...sources) => {
        for (const source of sources) await load(source);
      };
      await load(url);
      this.inside = inside;
      for (const data of this.waiting.splice(0)) this.postMessage(data);
    }

    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
  };
  window.Worker = window.IFrameWorker;
}
