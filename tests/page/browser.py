# SPDX-License-Identifier: MIT
"""A headless Chromium that opens one page, spoken to by the DevTools protocol over two pipes."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

PROGRAMS = ('chromium-headless-shell', 'chromium')


class Browser:
    """What the page asks of the network and what goes wrong in its script is in requests, errors."""

    def __init__(self, width=1280, height=900, dark=False, media=''):
        program = next(filter(None, map(shutil.which, PROGRAMS)))
        self.folder = tempfile.mkdtemp()
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def descriptors():  # the protocol's are 3 and 4
            os.dup2(os.dup(to_browser), 3 + 20)
            os.dup2(os.dup(from_browser), 4 + 20)
            os.dup2(3 + 20, 3)
            os.dup2(4 + 20, 4)
        self.process = subprocess.Popen(
            [program, '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
             '--remote-debugging-pipe', '--user-data-dir=' + self.folder, 'about:blank'],
            preexec_fn=descriptors, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.next_id = b'', 0
        self.requests, self.errors, self.loaded, self.session = [], [], False, None
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Network', 'Runtime', 'Log'):
            self.call(domain + '.enable')
        self.window(width, height, dark, media)

    def window(self, width, height=900, dark=False, media=''):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call('Emulation.setEmulatedMedia', media=media, features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def read(self):
        while b'\0' not in self.rest:
            part = os.read(self.into, 1 << 20)
            if not part:
                raise RuntimeError('the browser is gone')
            self.rest += part
        line, self.rest = self.rest.split(b'\0', 1)
        return json.loads(line)

    def notice(self, message):
        method, params = message.get('method'), message.get('params')
        if method == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'])
        elif method == 'Runtime.exceptionThrown':
            self.errors.append(params['exceptionDetails']['exception'].get('description', '?'))
        elif method == 'Log.entryAdded':
            self.errors.append(params['entry']['text'])
        elif method == 'Page.loadEventFired':
            self.loaded = True

    def call(self, method, **params):
        self.next_id += 1
        message = {'id': self.next_id, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.out, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.read()
            if answer.get('id') == self.next_id:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']))
                return answer['result']
            self.notice(answer)

    def open(self, path):
        self.loaded = False
        self.call('Page.navigate', url='file://' + os.path.abspath(path))
        while not self.loaded:
            self.notice(self.read())
        return self

    def run(self, script):
        """The value of an expression of the page's own JavaScript."""
        answer = self.call('Runtime.evaluate', expression=script, returnByValue=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails']['exception'].get('description'))
        return answer['result'].get('value')

    def picture(self, path, top=0, height=None):
        """A PNG of the page, of all of its width."""
        size = self.call('Page.getLayoutMetrics')['cssContentSize']
        clip = {'x': 0, 'y': top, 'width': size['width'],
                'height': min(height or size['height'], size['height'] - top), 'scale': 1}
        data = self.call('Page.captureScreenshot', clip=clip, captureBeyondViewport=True)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))
        return size
