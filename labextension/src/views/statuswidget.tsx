import { Widget } from '@lumino/widgets';
import React from 'react';
import { StatusItem } from './statusitem';
import { IUi, LiveWidget } from './ui';

/** Make the status bar's item; what it shows is watched in the background. */
export function makeStatusItem(ui: IUi): Widget {
  return new LiveWidget(ui, <StatusItem />, []);
}
